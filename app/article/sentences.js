// The weight on each sentence that was read, as bars that make 1 together with the end mark.

class Sentences {
  constructor(list, point) {
    Object.assign(this, { list, point });
  }

  load(trace) {
    this.drawn = "";
    this.rows = trace.openings.map((text, i) => this.row(String(i + 1), text, i));
    this.rows.push(this.row("", "end mark", null));
    this.rows.at(-1).element.classList.add("end");
    this.list.replaceChildren(...this.rows.map((row) => row.element));
  }

  row(number, text, index) {
    const element = make("li"), track = make("span", "track"), fill = make("span", "fill"), value = make("span", "value");
    const opening = make("span", "opening", text);
    opening.dir = "auto";
    track.append(fill);
    element.append(make("span", "number", number), opening, value, track);
    if (index !== null) {
      element.onpointerenter = () => this.point(index);
      element.onpointerleave = () => this.point(-1);
    }
    return { element, fill, value };
  }

  show(sums, end) {
    [...sums, end].forEach((share, i) => {
      const { fill, value } = this.rows[i];
      fill.style.transform = `scaleX(${Math.max(0, Math.min(1, share))})`;
      const text = exact(share);
      if (value.textContent !== text) value.textContent = text;
    });
  }
}
