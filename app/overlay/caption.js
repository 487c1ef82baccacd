// The caption player: a photo under the map of the current word. Nothing here reruns Python. See ../player/stage.js for
// how position, pointer and lock go together; here the source side of a place is never meant.

const views = new WeakMap();

// Makes the payload ready to show.
function readCaption(raw) {
  const targets = raw.words.length, cells = raw.rows * raw.columns;
  const weights = new Float32Array(bytesOf(raw.weights).buffer);
  if (weights.length !== targets * cells) throw new Error(`expected ${targets} x ${cells} weights, got ${weights.length}`);
  return {
    ...raw, targets, cells, weights,
    targetLabels: raw.words.map((text, t) => (t === raw.target_end ? "end mark" : printable(text))),
    mapOf: (t) => weights.subarray(t * cells, (t + 1) * cells),
  };
}

class CaptionPlayer extends Stage {
  constructor(root) {
    super(root);
    const part = (name) => root.querySelector("." + name);
    for (const name of ["open", "badge", "notes", "release", "readout", "live", "view", "photo", "cell-mark", "box-mark", "probe",
      "opacity", "smooth", "scaling", "legend", "step"]) this[name] = part(name);
    Object.assign(this, { boxNote: part("inside"), box: null, inside: null, looks: { opacity: 0.6, smooth: true, own: false } });
    root.querySelector('.formats [value="svg"]').remove();  // a photo is pixels
    this.targets = new WordLine(part("targets"), "target");
    this.controls = new Controls(root, this);
    this.panel = new WordPanel(root);
    this.maps = new Maps(part("maps"));
    this.drawing = new BoxDrawing(this.view, (box) => this.setBox(box));
    this.listen();
    this.open.tabIndex = -1;
    this.open.onkeydown = (event) => this.onKey(event);
    this.observer = new ResizeObserver(() => this.width !== this.open.clientWidth && this.layOut());
    this.observer.observe(this.open);
  }

  listen() {
    this.follow(this.targets.row, (event) => {
      const chip = event.target.closest(".chip");
      return chip && { target: Number(chip.dataset.target), source: null };
    }, true);
    const { series } = this.panel;
    this.follow(series.canvas, (event) => {
      const target = series.wordAt(event);
      return target === null ? null : { target, source: null };
    }, true);
    const read = (event) => this.probeAt(this.drawing.place(event));
    this.view.onpointermove = (event) => {
      this.drawing.move(event);
      read(event);
    };
    this.on(this.view, "pointerdown", read);  // a finger that taps never moves
    // A finger leaves whenever it is lifted: what it read stays, or nobody could read it.
    this.view.onpointerleave = (event) => event.pointerType !== "touch" && this.probeAt(null);
    const relook = () => {
      this.looks = { opacity: this.opacity.valueAsNumber, smooth: this.smooth.checked, own: this.scaling.value === "own" };
      this.drawLegend();
      this.drawMaps();
      this.render();
    };
    Object.assign(this.opacity, { oninput: relook });
    Object.assign(this.smooth, { onchange: relook });
    Object.assign(this.scaling, { onchange: relook });
    this.release.onclick = () => this.releaseLock();
  }

  // ---- loading

  load(data) {
    const trace = readCaption(data), samePhoto = this.data?.photo === data.photo;
    this.playback.stop();
    Object.assign(this, { data, trace, position: 0, pointed: null, lock: null, spot: null });
    if (!samePhoto) this.box = null;
    this.badge.hidden = !trace.forced;
    this.notes.replaceChildren(...trace.notes.map((note) => make("li", "", note)));
    this.targets.load(trace.targetLabels, trace.words.map(() => false), trace.target_end);
    this.controls.load(trace);
    this.drawing.load(trace);
    this.measureBox();
    if (samePhoto && this.image?.complete) this.showPhoto(this.image);
    else this.loadPhoto(data.photo);
  }

  loadPhoto(address) {
    const image = new Image();
    image.onload = () => this.data.photo === address && this.showPhoto(image);
    this.heat = null;
    image.src = address;
  }

  showPhoto(image) {
    this.image = image;
    this.maps.load(this.trace, image, (t) => this.seek(t));
    this.layOut();
  }

  layOut() {
    this.width = this.open.clientWidth;
    if (!this.width || !this.image) return;
    const { trace, root } = this, theme = readTheme(root);
    this.theme = theme;
    root.style.colorScheme = theme.dark ? "dark" : "light";
    const room = this.photo.parentElement.clientWidth;
    const scale = Math.min(room / trace.width, Math.max(240, 0.7 * window.innerHeight) / trace.height, Math.max(2, 320 / Math.max(trace.width, trace.height)));
    const [width, height] = [trace.width, trace.height].map((side) => Math.max(1, side * scale));
    this.heat = new Heat(trace, this.image, this.view, width, height, window.devicePixelRatio || 1);
    this.scale = { x: width / trace.width, y: height / trace.height };
    this.panel.load(trace, theme, this.step.clientWidth);
    this.drawLegend();
    this.drawMaps();
    this.targets.repaint();
    this.render();
  }

  topOf(t) {
    return (this.looks.own ? this.trace.largest[t] : this.trace.top) || 1;
  }

  drawMaps() {
    if (this.heat) this.maps.draw((t) => this.topOf(t), this.looks);
  }

  drawLegend() {
    const stops = Array.from({ length: 17 }, (_, i) => css(rampAt(i / 16)));
    this.legend.querySelector(".ramp").style.backgroundImage = `linear-gradient(to right, ${stops.join(", ")})`;
    this.legend.querySelector(".scale").textContent = this.looks.own ? "colour: 0 to this word’s own largest weight" : "colour: one scale for the whole caption";
    this.legended = -1;
  }

  showTop(step) {
    const top = this.topOf(step);
    if (top === this.legended) return;
    this.legended = top;
    this.legend.querySelector(".top").textContent = weightOf(top);
  }

  // The overlay as it is seen, as large as the photo that was sent here.
  save() {
    const canvas = document.createElement("canvas");
    const heat = new Heat(this.trace, this.image, canvas, this.image.naturalWidth, this.image.naturalHeight, 1);
    const step = this.shownStep();
    heat.draw(this.trace.mapOf(step), this.topOf(step), this.looks);
    canvas.toBlob((blob) => {
      const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: "overlay.png" });
      link.click();
      setTimeout(() => URL.revokeObjectURL(link.href), 1000);
    });
  }

  // ---- what is shown

  render() {
    if (!this.heat) return;
    const { trace, pointed, lock, playback } = this;
    const place = (lock ?? pointed)?.target ?? this.position, step = Math.round(place);
    this.showHeat(place);
    this.targets.reveal(step);
    this.targets.makeReachable(step);
    const following = playback.playing || this.controls.dragging;
    this.targets.mark(step, -1, following ? step + 1 : trace.targets);
    this.panel.show(step, this.inside);
    this.showReadout(step);
    this.showTop(step);
    this.maps.mark(step);
    this.controls.show(this.position, playback.playing);
    this.showProbe(step);
    this.showInside(step);
    this.release.hidden = !lock;
    this.open.classList.toggle("locked", lock !== null);
    this.open.classList.toggle("playing", playback.playing);
  }

  // During a playback a map rests for half of the time: it is drawn once, not at every frame.
  showHeat(place) {
    const { heat, looks, painted } = this;
    if (painted?.heat === heat && painted.looks === looks && painted.place === place) return;
    this.painted = { heat, looks, place };
    this.drawHeat(place);
  }

  drawHeat(place) {
    const t = Math.floor(place), share = place - t;
    if (share === 0) return this.heat.draw(this.trace.mapOf(t), this.topOf(t), this.looks);
    const here = this.trace.mapOf(t), next = this.trace.mapOf(t + 1);
    const blended = here.map((weight, cell) => weight * (1 - share) + next[cell] * share);
    this.heat.draw(blended, this.topOf(t) * (1 - share) + this.topOf(t + 1) * share, this.looks, true);
  }

  showReadout(step) {
    const { trace } = this;
    if (this.told === `${this.data.id} ${step}`) return;
    this.told = `${this.data.id} ${step}`;
    const most = largest(trace.mapOf(step), 1)[0];
    const where = cellName(trace, most), weight = weightOf(trace.mapOf(step)[most]);
    this.readout.replaceChildren(Object.assign(make("strong", "", trace.targetLabels[step]), { dir: "auto" }), " looked most at ", make("b", "", where), " with weight ", make("b", "", weight));
    this.view.setAttribute("aria-label", `The photo under the weights of word ${step + 1}, ${trace.targetLabels[step]}; largest ${weight} at ${where}`);
    if (this.playback.playing || this.pointed) return;
    this.live.textContent = `word ${step + 1} of ${trace.targets}: ${trace.targetLabels[step]}, probability ${short(trace.probability[step])}, looked most at ${where}`;
  }

  // ---- the cell under the pointer

  probeAt(spot) {
    this.spot = spot;
    if (this.heat) this.showProbe(this.shownStep());
  }

  showProbe(step) {
    const { trace, spot } = this, mark = this["cell-mark"];
    mark.hidden = !spot;
    if (!spot) {
      this.probe.textContent = this.box ? "" : "Point at the photo to read the weights; drag to draw a box.";
      return;
    }
    const x = Math.min(Math.floor(spot.x), trace.width - 1), y = Math.min(Math.floor(spot.y), trace.height - 1);
    const column = cellAlong(trace.xs, x), row = cellAlong(trace.ys, y), cell = row * trace.columns + column;
    this.probe.textContent = `weight ${weightOf(trace.mapOf(step)[cell])} · ${cellName(trace, cell)} · pixel ${x}, ${y}`;
    this.outline(mark, { left: trace.xs[column], right: trace.xs[column + 1], top: trace.ys[row], bottom: trace.ys[row + 1] });
  }

  outline(mark, { left, right, top, bottom }) {
    const { x, y } = this.scale;
    Object.assign(mark.style, { left: `${left * x}px`, top: `${top * y}px`, width: `${(right - left) * x}px`, height: `${(bottom - top) * y}px` });
  }

  // ---- the box

  setBox(box) {
    this.box = box;
    this.measureBox();
    this.render();
  }

  measureBox() {
    const { trace, box } = this;
    this.inside = box && trace.words.map((_, t) => boxMass(trace.mapOf(t), trace, box));
  }

  showInside(step) {
    const { box } = this, mark = this["box-mark"];
    mark.hidden = !box;
    if (box) this.outline(mark, box);
    const said = box ? `${step} ${this.inside[step]}` : "";
    if (said === this.insideSaid) return;
    this.insideSaid = said;
    if (!box) return this.boxNote.replaceChildren(make("span", "", "Drag on the photo: the weight inside the box, for every word."));
    const clear = Object.assign(make("button", "", "Clear the box"), { type: "button", onclick: () => this.setBox(null) });
    this.boxNote.replaceChildren("Inside the box: ", make("b", "", exact(this.inside[step])), " of this word’s weight", clear);
  }

  // ---- keys

  actionOf({ key, target }) {
    if (target.matches("input[type=range]") && target !== this.controls.seek) return null;
    if (key === "Escape") return () => this.escape();
    if (key === " ") return target.closest("button, summary, input[type=checkbox]") ? null : () => this.togglePlay();
    const move = { ArrowRight: 1, ArrowLeft: -1 }[key];
    const goal = move ? Math.round(this.position) + move : { Home: 0, End: this.trace.targets - 1 }[key];
    return goal === undefined ? null : () => this.walkTo(goal, this.targets.row.contains(target));
  }

  escape() {
    this.controls.closeSaving();
    if (this.lock) this.releaseLock();
    else if (this.box) this.setBox(null);
  }

  walkTo(step, withFocus) {
    this.seek(step);
    if (withFocus) this.targets.at(this.position).element.focus();
  }
}

// The cell that a pixel is in, from the edges along that side.
function cellAlong(edges, pixel) {
  let cell = 0;
  while (cell + 2 < edges.length && edges[cell + 1] <= pixel) cell++;
  return cell;
}

const cellName = (trace, cell) => `row ${Math.floor(cell / trace.columns) + 1}, column ${(cell % trace.columns) + 1}`;

// Weights over 196 cells are small: four decimals.
const weightOf = (value) => (value > 0 && value < 0.00005 ? "<0.0001" : value.toFixed(4));

export default (component) => mount(views, CaptionPlayer, component);
