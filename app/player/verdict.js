// What a model that judges would have said, had the text ended at the current word; and how that moved, word by word.

const COURSE = { width: 300, height: 72 };  // units of the drawing, which is stretched to the panel
const STROKES = ["", "7 4", "1.5 4"];  // told apart by dash, not by colour alone

class Verdict {
  constructor(root) {
    this.root = root.querySelector(".verdict");
    for (const name of ["chances", "course", "keys"]) this[name] = this.root.querySelector("." + name);
  }

  load(trace) {
    this.trace = trace;
    this.root.hidden = !trace.verdict;
    if (!trace.verdict) return;
    const { labels, rows } = trace.verdict;
    this.course.setAttribute("viewBox", `0 0 ${COURSE.width} ${COURSE.height}`);
    this.now = drawn("line", { y1: 0, y2: COURSE.height, class: "now" });
    const lines = labels.map((_, at) => drawn("polyline", { points: rows.map((row, t) => `${this.x(t)},${heightOf(row[at])}`).join(" "),
      "stroke-dasharray": STROKES[at % STROKES.length], class: `label-${at % STROKES.length}` }));
    this.course.replaceChildren(this.now, ...lines);
    this.keys.replaceChildren(...labels.flatMap((label, at) => {
      const sample = drawn("svg", { viewBox: "0 0 26 6", class: "sample" });
      sample.append(drawn("polyline", { points: "0,3 26,3", "stroke-dasharray": STROKES[at % STROKES.length], class: `label-${at % STROKES.length}` }));
      return [sample, make("span", "", label)];
    }));
  }

  show(step) {
    const { verdict } = this.trace;
    if (!verdict) return;
    const row = verdict.rows[step], best = row.indexOf(Math.max(...row));
    this.chances.replaceChildren(...verdict.labels.map((label, at) => alternative(label, row[at], at === best)));
    for (const end of ["x1", "x2"]) this.now.setAttribute(end, this.x(step));
  }

  // A single word stands in the middle.
  x(step) {
    const { rows } = this.trace.verdict;
    return rows.length > 1 ? 4 + (step / (rows.length - 1)) * (COURSE.width - 8) : COURSE.width / 2;
  }
}

const heightOf = (chance) => 3 + (1 - chance) * (COURSE.height - 6);

function drawn(name, attributes) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", name);
  for (const [key, value] of Object.entries(attributes)) if (value !== "") element.setAttribute(key, value);
  return element;
}

// The likeliest label of a step, with its probability.
const saidAt = ({ labels, rows }, step) => {
  const at = rows[step].indexOf(Math.max(...rows[step]));
  return `${labels[at]} ${short(rows[step][at])}`;
};
