// The decoding as a column of steps: what is written now, what stood there before, and what was done to it.

class StepList {
  // `choose(step)` is called for the step that is clicked or reached by the arrow keys.
  constructor(list, choose) {
    Object.assign(this, { list, choose });
    list.onclick = (event) => {
      const item = event.target.closest("li");
      if (item) choose(Number(item.dataset.step));
    };
    list.onkeydown = (event) => {
      const move = { ArrowUp: -1, ArrowDown: 1, Home: -Infinity, End: Infinity }[event.key];
      if (move === undefined) return;
      event.preventDefault();
      choose(Math.max(0, Math.min(this.items.length - 1, this.current + move)));
    };
  }

  load(data) {
    this.items = data.steps.map((step, t) => this.item(data, step, t));
    this.list.replaceChildren(...this.items);
  }

  item(data, step, t) {
    const item = make("li", "item");
    item.dataset.step = t;
    item.id = `step-${t}`;
    item.setAttribute("role", "option");
    const word = make("span", "token", tokenOf(step.token, data.end));
    word.dir = "auto";
    const track = make("span", "track"), fill = make("span", "fill");
    fill.style.width = `${100 * step.p}%`;
    track.append(fill);
    const marks = [];
    if (step.forced) marks.push("forced");
    if (step.attended) marks.push("weights moved");
    if (step.masked.length) marks.push(`${step.masked.length} crossed out`);
    if (step.temperature !== 1) marks.push(`θ ${step.temperature}`);
    item.append(make("span", "number", String(t + 1)), word, track, make("span", "figure-right", exact(step.p)), make("span", "marks", marks.join(", ")));
    item.classList.toggle("new", step.before === null);
    item.classList.toggle("hatched", Boolean(data.faith[t]?.hardly));
    if (data.faith[t]) item.title = data.faith[t].told;
    return item;
  }

  show(step) {
    this.current = step;
    this.items.forEach((item, t) => item.setAttribute("aria-selected", String(t === step)));
    this.list.setAttribute("aria-activedescendant", `step-${step}`);
    // Only the list scrolls, never the page.
    const item = this.items[step], { list } = this;
    if (item.offsetTop < list.scrollTop) list.scrollTop = item.offsetTop;
    const over = item.offsetTop + item.offsetHeight - list.scrollTop - list.clientHeight;
    if (over > 0) list.scrollTop += over;
  }
}

const tokenOf = (token, end) => (token === end ? "end mark" : printable(token));
