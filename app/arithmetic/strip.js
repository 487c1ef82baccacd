// A vector as a strip: one cell a component, blue below zero, orange above, with the first numbers beside it.

const SHOWN = 4;  // numbers written out

const number = (value) => signed(value, Math.abs(value) >= 100 ? 1 : 2);

class Strip {
  // `name` is the symbol it stands for; `inspect(text)` is told what is under the pointer.
  constructor(name, inspect) {
    this.canvas = Object.assign(make("canvas", "strip"), { role: "img" });
    this.canvas.setAttribute("role", "img");
    this.canvas.dataset.number = name;
    this.canvas.onpointermove = (event) => {
      const at = Math.max(0, Math.min(this.values.length - 1, Math.floor((event.offsetX / this.canvas.clientWidth) * this.values.length)));
      inspect(`${this.title ? `${this.title}: ` : ""}component ${at + 1} of ${this.values.length} is ${signed(this.values[at], 4)}; full colour at ±${this.reach.toFixed(2)}`);
    };
    this.canvas.onpointerleave = () => inspect("");
  }

  // `reach` is the value of the strongest colour; larger ones clip.
  draw(values, reach, title, theme) {
    Object.assign(this, { values, title, reach });
    const { canvas } = this, ratio = window.devicePixelRatio || 1;
    const width = Math.max(1, Math.round(canvas.clientWidth * ratio)), count = values.length;
    Object.assign(canvas, { width, height: 1 });
    const image = new ImageData(width, 1);
    for (let x = 0; x < width; x++) {
      const value = values[Math.min(count - 1, Math.floor((x / width) * count))];
      const level = Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, value / (reach || 1))));
      image.data.set([...theme.diverging[level], 255], 4 * x);
    }
    canvas.getContext("2d").putImageData(image, 0, 0);
    canvas.setAttribute("aria-label", `${title}: ${values.length} numbers, the first ${this.first()}`);
  }

  first() {
    return Array.from(this.values.slice(0, SHOWN), number).join("  ");
  }
}

// A strip with its symbol before it and its first numbers behind.
class VectorRow {
  constructor(name, inspect) {
    this.strip = new Strip(name, inspect);
    this.element = make("div", "vector-row");
    [this.label, this.figures] = [make("span", "label"), make("span", "figures")];
    this.figures.dataset.number = name;
    this.element.append(this.label, this.strip.canvas, this.figures);
  }

  show(math, title, values, reach, theme) {
    if (this.math !== math) this.label.innerHTML = this.math = math;  // ours, not the user's
    this.label.title = title;
    this.strip.draw(values, reach, title, theme);
    this.figures.textContent = `${this.strip.first()} …`;
  }
}

const reachOf = (values) => {
  let reach = 0;
  for (const value of values) reach = Math.max(reach, Math.abs(value));
  return reach;
};
