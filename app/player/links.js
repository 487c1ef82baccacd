// The curves between the word that is shown and the words that it is linked with; thicker for more weight.
// They are drawn only where both lines of words fit on one line each: elsewhere they would cross the text.

const LINK_FROM = 0.02;

class Links {
  constructor(canvas) {
    this.canvas = canvas;
  }

  // Measures the chips once, after the page has been laid out; drawing then reads nothing from the page.
  measure(sources, targets) {
    const box = this.canvas.parentElement.getBoundingClientRect();
    this.size = [box.width, box.height];
    const places = (line) => line.chips.map(({ element }) => {
      const { left, width, top, bottom } = element.getBoundingClientRect();
      return { x: left + width / 2 - box.left, top: top - box.top, bottom: bottom - box.top };
    });
    this.ends = { source: places(sources), target: places(targets) };
    const single = (line) => line.length > 0 && line.every((place) => Math.abs(place.top - line[0].top) < 4);
    this.usable = single(this.ends.source) && single(this.ends.target)
      && sources.chips.length === sources.labels.length && targets.chips.length === targets.labels.length;
    this.canvas.hidden = !this.usable;
    this.drawn = "";
  }

  // Draws from the `side`'s word `place` (a fractional index while playing) to the words of the other side.
  draw(side, place, weights, top, theme) {
    if (!this.usable) return;
    const drawn = `${side} ${place} ${theme.fills[255]}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const pen = penOf(this.canvas, ...this.size);
    const from = this.between(this.ends[side], place);
    const others = this.ends[side === "source" ? "target" : "source"];
    pen.lineCap = "round";
    weights.forEach((weight, i) => {
      if (weight < LINK_FROM) return;
      pen.strokeStyle = theme.fills[Math.max(40, levelOf(weight, top))];
      pen.lineWidth = 1 + 4 * Math.min(1, weight);
      const [upper, lower] = side === "source" ? [from, others[i]] : [others[i], from];
      this.curve(pen, upper.x, upper.bottom + (side === "source" ? 7 : 20),  // below the figures, where there are any
         lower.x, lower.top - 3);
    });
  }

  between(places, place) {
    const low = places[Math.floor(place)], high = places[Math.ceil(place)], share = place - Math.floor(place);
    return { ...low, x: low.x + (high.x - low.x) * share };
  }

  curve(pen, x0, y0, x1, y1) {
    const middle = (y0 + y1) / 2;
    pen.beginPath();
    pen.moveTo(x0, y0);
    pen.bezierCurveTo(x0, middle, x1, middle, x1, y1);
    pen.stroke();
  }
}
