// Several models on one sentence. What is pointed at in one matrix is marked in all: the same source word, and the
// row of the same target word where the other translation has it.

const views = new WeakMap();

class Comparison {
  constructor(root) {
    const part = (name) => root.querySelector("." + name);
    Object.assign(this, { root, list: part("cards"), legend: part("legend"), readout: part("readout"), lock: null });
    this.observer = new ResizeObserver(() => this.width !== root.clientWidth && this.layOut());
    this.observer.observe(root);
  }

  unmount() {
    this.observer.disconnect();
  }

  load(data) {
    Object.assign(this, { data, lock: null, cards: data.models.map((model) => new Card(model)) });
    this.list.replaceChildren(...this.cards.map((card) => card.element));
    for (const card of this.cards.filter(({ matrix }) => matrix)) {
      const { cells } = card.matrix, place = (event) => ({ card, ...card.matrix.cellAt(event) });
      cells.onpointermove = (event) => this.lock || this.show(place(event));
      cells.onpointerleave = () => this.show(this.lock);
      cells.onclick = (event) => this.toggle(place(event));
      cells.onkeydown = (event) => this.onKey(event, card);
    }
    this.layOut();
  }

  layOut() {
    this.width = this.root.clientWidth;
    if (!this.width || !this.data) return;
    const theme = readTheme(this.root);
    this.root.style.colorScheme = theme.dark ? "dark" : "light";
    for (const card of this.cards) card.draw(this.data.scale.top, theme, card.element.clientWidth);
    const stops = Array.from({ length: 17 }, (_, i) => theme.fills[Math.round((i / 16) * (LEVELS - 1))]);
    this.legend.querySelector(".ramp").style.backgroundImage = `linear-gradient(to right, ${stops.join(", ")})`;
    this.legend.querySelector(".top").textContent = short(this.data.scale.top);
    this.legend.querySelector(".scale").textContent = `one scale for all: ${this.data.scale.label}`;
    this.show(this.lock);
  }

  toggle(place) {
    const again = this.lock && this.lock.card === place.card && same(this.lock, place);
    this.lock = again ? null : place;
    this.show(place);
  }

  onKey(event, card) {
    const move = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    if (event.key === "Escape") this.show((this.lock = null));
    if (!move) return;
    event.preventDefault();
    const from = this.lock?.card === card ? this.lock : { target: -move[0] && 0, source: 0 };
    const bounded = (value, count) => Math.max(0, Math.min(count - 1, value));
    this.lock = {
      card, target: bounded(from.target + move[0], card.trace.targets), source: bounded(from.source + move[1], card.trace.sources),
    };
    this.show(this.lock);
  }

  show(place) {
    const found = this.cards.map((card) => [card, place && card.trace ? this.placeIn(card, place) : null]);
    for (const [card, own] of found) card.mark(own);
    this.tell(place, found);
  }

  placeIn(card, { card: from, source, target }) {
    const row = card === from ? target : card.rowFor(from.trace.targetLabels[target], target / from.trace.targets);
    return { row, source };
  }

  tell(place, found) {
    if (!place) {
      this.readout.textContent = "Point at a cell: the same source word is marked in every matrix, and the same target word where it was written.";
      return;
    }
    const { trace } = place.card;
    const parts = found.filter(([, own]) => own).map(([card, { row, source }]) =>
      row === null ? `${card.model.name}: not written` : `${card.model.name} ${exact(card.trace.weights[row * card.trace.sources + source])}`);
    this.readout.replaceChildren(
      "weight of ", make("strong", "", trace.targetLabels[place.target]), " on ", make("strong", "", trace.sourceLabels[place.source]), `: ${parts.join(" · ")}${this.lock ? " (locked; Esc releases)" : ""}`);
  }
}

export default (component) => mount(views, Comparison, component);
