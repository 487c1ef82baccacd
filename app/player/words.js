// A line of words as chips: shaded by weight, with the weight as a figure under the larger ones.

const WINDOW = 100;  // chips on the page at once; a longer line shows a window of them
const RIM = 10;  // chips at either end of the window that make it move on
const DENSE = 40;  // chips; longer lines are set smaller
const FIGURE_FROM = 0.05;  // weights below are shaded, and read in the line under the words

class WordLine {
  // `side` is "source" or "target"; it is what a chip says of itself in events.
  constructor(row, side) {
    Object.assign(this, { row, side });
  }

  load(labels, glue, end) {
    Object.assign(this, { labels, glue, end, first: -1 });
    this.row.dir = directionOf(labels);
    this.row.classList.toggle("dense", labels.length > DENSE);
    this.reveal(0);
  }

  // Brings a word into the window. The window moves only when the word is near its rim, so that it does not jitter.
  // Returns whether the chips are new.
  reveal(index) {
    const length = this.labels.length, count = length > WINDOW * 1.2 ? WINDOW : length;
    const last = this.first + count;
    const afterRim = this.first === 0 || index >= this.first + RIM;
    const beforeRim = last === length || index < last - RIM;
    if (this.first >= 0 && afterRim && beforeRim) return false;
    this.first = Math.max(0, Math.min(length - count, Math.round(index - count / 2)));
    this.build(count);
    return true;
  }

  build(count) {
    this.chips = [];
    for (let i = this.first; i < this.first + count; i++) this.chips.push(this.chip(i));
    const after = this.labels.length - this.first - count;
    const more = (number) => (number ? [make("span", "more", `… ${number} more`)] : []);
    this.row.replaceChildren(...more(this.first), ...this.chips.map((chip) => chip.element), ...more(after));
    this.marked = { now: -1, probed: -1, from: this.labels.length };
    this.figured = "";
  }

  chip(index) {
    const element = make("button", "chip");
    Object.assign(element, { type: "button", tabIndex: -1 });
    element.dataset[this.side] = index;
    const label = make("span", "label", this.labels[index]);
    label.dir = "auto";
    const figure = make("span", "figure");
    element.append(label, figure);
    if (this.glue[index] && index > 0) element.classList.add("glued");
    if (this.glue[index + 1]) element.classList.add("glues");
    if (index === this.end) element.classList.add("end");
    return { element, figure, level: 0, text: "" };
  }

  at(index) {
    return this.chips[index - this.first];
  }

  // Colours the words by weight; null clears them. Only what has changed is written to the page.
  shade(weights, top, theme) {
    this.chips.forEach((chip, i) => {
      const weight = weights ? weights[this.first + i] : 0;
      const level = levelOf(weight, top);
      if (level !== chip.level) {
        chip.element.style.backgroundColor = level ? theme.fills[level] : "";
        chip.element.style.color = level ? theme.inks[level] : "";
        chip.level = level;
      }
    });
  }

  // Writes the weights under the words. `name` says whose weights they are; with the same name nothing is done.
  writeFigures(weights, name) {
    if (name === this.figured) return;
    this.figured = name;
    this.chips.forEach((chip, i) => {
      const weight = weights ? weights[this.first + i] : 0;
      const text = weight >= FIGURE_FROM ? short(weight) : "";
      if (text !== chip.text) chip.figure.textContent = chip.text = text;
    });
  }

  // Repaints everything, after a change of theme.
  repaint() {
    for (const chip of this.chips) chip.level = -1;
  }

  // Marks the word that is shown (now), the one that is pointed at beside it (probed), and the words from `from` on
  // as not decoded yet.
  mark(now, probed, from = this.labels.length) {
    const before = this.marked;
    this.toggle("now", before.now, now);
    this.toggle("probed", before.probed, probed);
    for (let i = Math.min(before.from, from); i < Math.max(before.from, from); i++)
      this.at(i)?.element.classList.toggle("later", i >= from);
    this.marked = { now, probed, from };
  }

  toggle(className, before, after) {
    if (before === after) return;
    this.at(before)?.element.classList.remove(className);
    this.at(after)?.element.classList.add(className);
  }

  // Leaves one chip in the tab order.
  makeReachable(index) {
    const chip = this.at(index);
    if (chip === this.reachable) return;
    if (this.reachable) this.reachable.element.tabIndex = -1;
    if (chip) chip.element.tabIndex = 0;
    this.reachable = chip;
  }
}
