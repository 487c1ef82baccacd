// Energies, weights and context of one step, drawn on canvas: one drawing a step, however long the source is.

const BAND = { energies: 96, weights: 92 };  // heights in pixels
const NUMBER_ROOM = 15;  // above and below the bars, for the numbers on them
const WIDEST_SLOT = 56;  // pixels for one source word

// The energies and the weights over the source, one under the other with the labels below.
class Bars {
  constructor(energies, weights) {
    Object.assign(this, { energies, weights });
    this.ruler = document.createElement("canvas").getContext("2d");
  }

  measure = (text) => this.ruler.measureText(text).width;

  // Lays the bars out for one sentence, so that both canvases and all steps have the same x and the same scale.
  load(trace, theme, width) {
    this.ruler.font = `11px ${theme.font}`;
    const { sources, sourceLabels } = trace;
    const label = Math.min(84, Math.max(...sourceLabels.map(this.measure)));
    const left = Math.min(40, Math.ceil(this.measure(sourceLabels[0]) * Math.cos(SLANT)));
    const finite = trace.energies.filter(Number.isFinite);
    const reach = (pick) => finite.reduce((a, b) => pick(a, b), 0);
    Object.assign(this, {
      trace, theme, width, label, left,
      slot: Math.min(WIDEST_SLOT, (width - left) / sources),
      low: reach(Math.min), high: reach(Math.max),
    });
  }

  draw(step, probed) {
    const { trace } = this;
    const row = trace.energies.subarray(step * trace.sources, (step + 1) * trace.sources);
    const known = row.some((energy) => !Number.isNaN(energy));
    this.energies.hidden = !known;
    if (known) this.drawEnergies(row, probed);
    this.drawWeights(rowOf(trace, step), probed);
    return known;
  }

  middle = (s) => this.left + (s + 0.5) * this.slot;

  drawEnergies(values, probed) {
    const { low, high, theme } = this;
    const pen = this.penFor(this.energies, BAND.energies);
    const span = high - low || 1;
    const [over, under] = [high > 0 ? NUMBER_ROOM : 3, low < 0 ? NUMBER_ROOM : 3];
    const y = (value) => over + ((high - value) / span) * (BAND.energies - over - under);
    this.band(pen, probed, BAND.energies);
    values.forEach((value, s) => {
      if (value === -Infinity) return this.masked(pen, s, y(0));
      pen.fillStyle = css(s === probed ? theme.primary : theme.quiet);
      this.bar(pen, s, y(Math.max(0, value)), y(Math.min(0, value)));
    });
    this.axis(pen, y(0));
    const above = (s) => (values[s] < 0 ? y(values[s]) + 8 : y(values[s]) - 7);
    this.numbers(pen, values, values.map(Math.abs), above, probed, 0.05 * span, 4, signed);
  }

  drawWeights(values, probed) {
    const { theme } = this;
    const below = this.label * Math.sin(SLANT) + 16;
    const pen = this.penFor(this.weights, BAND.weights + below);
    const y = (value) => NUMBER_ROOM + (1 - value) * (BAND.weights - NUMBER_ROOM);
    this.band(pen, probed, BAND.weights);
    this.axis(pen, y(1), true);
    values.forEach((value, s) => {
      pen.fillStyle = css(s === probed ? theme.primary : theme.bar);
      this.bar(pen, s, y(Math.min(1, value)), y(0));
    });
    this.axis(pen, y(0));
    const above = (s) => y(Math.min(1, values[s])) - 7;
    this.numbers(pen, values, values, above, probed, FIGURE_FROM, this.slot >= 28 ? values.length : 5, short);
    this.names(pen, values, BAND.weights + 8, probed);
  }

  penFor(canvas, height) {
    const pen = penOf(canvas, this.width, height);
    pen.font = `11px ${this.theme.font}`;
    pen.textBaseline = "middle";
    return pen;
  }

  bar(pen, s, top, bottom) {
    const width = Math.max(1, Math.min(26, this.slot * 0.7));
    pen.fillRect(this.middle(s) - width / 2, top, width, Math.max(bottom - top, 0));
  }

  // A light band behind the word that is pointed at.
  band(pen, s, height) {
    if (s === null) return;
    pen.fillStyle = css(this.theme.faint);
    pen.fillRect(this.left + s * this.slot, 0, this.slot, height);
  }

  axis(pen, y, faint = false) {
    pen.fillStyle = css(faint ? this.theme.faint : this.theme.line);
    pen.fillRect(this.left, Math.round(y), this.slot * this.trace.sources, 1);
  }

  // The decoder may not look at a masked position: its energy is minus infinity.
  masked(pen, s, y) {
    pen.save();
    pen.fillStyle = css(this.theme.quiet);
    pen.textAlign = "center";
    if (this.slot >= 12) {
      // Upright, on the side of the axis that has more room.
      pen.translate(this.middle(s), this.high >= -this.low ? y - 24 : y + 24);
      pen.rotate(-Math.PI / 2);
      pen.fillText("masked", 0, 0);
    } else {
      pen.fillText("×", this.middle(s), y + 6);
    }
    pen.restore();
  }

  // Numbers on the largest bars, and on the one that is pointed at, as far as they do not touch each other.
  numbers(pen, values, sizes, y, probed, least, count, format) {
    pen.textAlign = "center";
    const order = largest(sizes, count).filter((s) => sizes[s] >= least);
    if (probed !== null && Number.isFinite(values[probed])) order.unshift(probed);
    const placed = [];
    for (const s of order) {
      const touches = (other) => Math.abs(this.middle(other) - this.middle(s)) < 28 && Math.abs(y(other) - y(s)) < 13;
      if (placed.some(touches)) continue;
      placed.push(s);
      pen.fillStyle = css(s === probed ? this.theme.text : this.theme.quiet);
      pen.fillText(format(values[s]), Math.max(12, Math.min(this.width - 12, this.middle(s))), y(s));
    }
  }

  // The source words under the bars: all of them if there is room, else those with the most weight.
  names(pen, values, y, probed) {
    const order = this.slot >= 12 ? Array.from(values.keys()) : largest(values, 8);
    if (probed !== null) order.unshift(probed);
    const room = Math.min(14, Math.max(12, this.slot) - 0.01);
    const placed = [];
    for (const s of order) {
      if (placed.some((other) => Math.abs(this.middle(other) - this.middle(s)) < room)) continue;
      placed.push(s);
      pen.save();
      pen.fillStyle = css(s === probed ? this.theme.text : this.theme.quiet);
      pen.textAlign = "right";
      pen.translate(this.middle(s) + 3, y);
      pen.rotate(-SLANT);
      pen.fillText(fitted(this.trace.sourceLabels[s], this.label, this.measure), 0, 0);
      pen.restore();
    }
  }

  // The source word under the pointer, or null.
  sourceAt(event) {
    const s = Math.floor((event.offsetX - this.left) / this.slot);
    return s >= 0 && s < this.trace.sources ? s : null;
  }
}

// The context vector: one canvas pixel a unit, blue for negative and orange for positive.
function drawContext(canvas, trace, step, theme) {
  const width = trace.context_width;
  Object.assign(canvas, { width, height: 1 });
  const image = new ImageData(width, 1);
  for (let d = 0; d < width; d++) {
    const level = Math.round(127.5 + (trace.contexts[step * width + d] / 127) * 127.5);
    image.data.set([...theme.diverging[Math.max(0, Math.min(255, level))], 255], d * 4);
  }
  canvas.getContext("2d").putImageData(image, 0, 0);
}

const contextValue = (trace, step, unit) => (trace.contexts[step * trace.context_width + unit] / 127) * trace.context_scale;
