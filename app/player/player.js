// The player: what is shown, and what the pointer, the keys and the clock do to it. Nothing here reruns Python.
// See stage.js for what decides it. Words and cells are {target, source}, with null for the side that is not meant.

const views = new WeakMap();

class Player extends Stage {
  constructor(root) {
    super(root);
    const part = (name) => root.querySelector("." + name);
    this.active = 0;
    for (const name of ["open", "text-part", "place", "badge", "notes", "end-mass", "release", "matrix", "step", "legend",
      "source-side", "target-side", "sides"])
      this[name] = part(name);
    this.sentences = new Sentences(part("sentences"), this.open);
    this.sources = new WordLine(part("sources"), "source");
    this.targets = new WordLine(part("targets"), "target");
    this.links = new Links(part("links"));
    this.readout = new Readout(part("readout"), part("live"));
    this.controls = new Controls(root, this);
    this.grid = new Matrix(root);
    this.panel = new StepPanel(root);
    this.listenToPointer();
    this.open.tabIndex = -1;  // a click between the words gives the player the keys
    this.open.onkeydown = (event) => this.onKey(event);
    this.observer = new ResizeObserver(() => this.width !== this.open.clientWidth && this.layOut());
    this.observer.observe(this.open);
    document.fonts.ready.then(() => this.trace && this.layOut());  // canvases do not repaint themselves for a late font
  }

  // ---- loading

  load(data) {
    const before = this.data?.traces;
    const sameText = before?.length === data.traces.length && before[this.active].text === data.traces[this.active].text;
    this.data = data;
    this.playback.stop();
    this.sentences.load(data.traces, (index) => this.choose(index));
    this.show(sameText ? this.active : 0);
  }

  // Shows a sentence in full.
  show(index) {
    const trace = readTrace(this.data.traces[index]);
    Object.assign(this, { trace, active: index, position: 0, pointed: null, lock: null, mass: null });
    this.sentences.moveTo(index);
    this.showHead();
    this.sources.load(trace.sourceLabels, trace.source_glue, trace.source_end);
    this.targets.load(trace.targetLabels, trace.target_glue, trace.target_end);
    this.controls.load(trace);
    this.readout.load(trace);
    this.layOut();
  }

  // A sentence was chosen from the list.
  choose(index) {
    this.playback.stop();
    this.show(index);
    this.open.focus({ preventScroll: true });
    this["text-part"].scrollIntoView({ block: "nearest", behavior: reduceMotion.matches ? "auto" : "smooth" });
  }

  showHead() {
    const { trace, data } = this, count = data.traces.length;
    this.place.textContent = count > 1 ? `Sentence ${this.active + 1} of ${count}` : "";
    this.badge.hidden = !trace.forced;
    this.notes.replaceChildren(...trace.notes.map((note) => make("li", "", note)));
    this["end-mass"].hidden = !trace.end_mass;
    const [source, target] = trace.sides ?? ["Source", "Translation"];
    this["source-side"].textContent = source;
    this["target-side"].textContent = target;
    this.sides.textContent = `rows: ${target.toLowerCase()}, columns: ${source.toLowerCase()}`;
  }

  // Draws everything that depends on the width or on the theme.
  layOut() {
    this.width = this.open.clientWidth;
    if (!this.width) return;  // not on the page yet; the observer calls again
    const theme = readTheme(this.root), { trace, data } = this;
    this.theme = theme;
    this.root.style.colorScheme = theme.dark ? "dark" : "light";  // for the browser's own parts, as the list of speeds
    this.grid.draw(trace, data.scale.top, theme, this.matrix.clientWidth);
    this.panel.load(trace, theme, this.step.clientWidth);
    this.drawLegend();
    for (const line of [this.sources, this.targets]) line.repaint();
    this.links.measure(this.sources, this.targets);
    this.render();
  }

  drawLegend() {
    const { scale } = this.data;
    const stops = this.theme.fills.filter((_, level) => level % 15 === 0);
    this.legend.querySelector(".ramp").style.backgroundImage = `linear-gradient(to right, ${stops.join(", ")})`;
    this.legend.querySelector(".top").textContent = topOf(scale);
    this.legend.querySelector(".scale").textContent = `colour: ${scale.label}`;
  }

  save(format) {
    savePicture(format, this.trace, this.data.scale, this.theme);
  }

  // ---- what is shown

  render() {
    if (!this.theme) return;
    const { pointed, lock, playback } = this;
    const selection = lock ?? pointed;
    const column = selection?.target === null ? selection.source : null;  // a source word, read down its column
    const place = selection?.target ?? this.position, step = Math.round(place);
    const probed = pointed?.source ?? selection?.source ?? null;

    this.revealWords(step, probed);
    this.renderWords(place, step, column, probed);
    this.grid.mark(place, probed);
    this.panel.show(step, probed);
    this.readout.show(step, column, this.pair());
    this.controls.show(this.position, playback.playing);
    this.showMass(step);
    this.release.hidden = !lock;
    this.open.classList.toggle("locked", lock !== null);
    this.open.classList.toggle("by-source", column !== null);
    this.open.classList.toggle("playing", playback.playing);
    if (!pointed || lock) this.readout.announce(step);  // not what the mouse passes over
  }

  renderWords(place, step, column, probed) {
    const { trace, theme, sources, targets, pointed } = this, top = this.data.scale.top;
    const byTarget = column === null;
    const weights = byTarget ? blendedRow(trace, place) : columnOf(trace, column);
    const [shaded, other] = byTarget ? [sources, targets] : [targets, sources];
    shaded.shade(weights, top, theme);
    other.shade(null, top, theme);
    // Colours blend between two steps; figures never do: they are those of the nearest step.
    shaded.writeFigures(byTarget ? rowOf(trace, step) : weights, String(column ?? step));
    other.writeFigures(null, "none");
    const following = this.playback.playing || this.controls.dragging;
    targets.mark(step, byTarget ? -1 : pointed?.target ?? -1, following ? step + 1 : trace.targets);
    sources.mark(column ?? -1, byTarget ? probed ?? -1 : -1);
    this.links.draw(byTarget ? "target" : "source", column ?? place, weights, top, theme);
  }

  // Long lines show a window of words; it follows the decoder, but never the pointer that rests on the words.
  revealWords(step, probed) {
    const { pointed, trace } = this;
    if (pointed && (pointed.target === null || pointed.source === null)) return;
    const fresh = [this.targets.reveal(step), this.sources.reveal(probed ?? largest(rowOf(trace, step), 1)[0])];
    if (fresh.includes(true)) this.links.measure(this.sources, this.targets);
    this.targets.makeReachable(step);
    if (!this.sources.reachable?.element.isConnected) this.sources.makeReachable(this.sources.first);
  }

  // The one weight that is meant, if it is one: the cell under the pointer, the word under it together with the
  // locked one, or the locked cell.
  pair() {
    const { lock, pointed } = this;
    const whole = (found) => (found && found.target !== null && found.source !== null ? found : null);
    const joined = lock && pointed && {
      target: lock.target ?? pointed.target, source: lock.target === null ? lock.source : pointed.source,
    };
    return whole(pointed) ?? whole(joined) ?? whole(lock);
  }

  showMass(step) {
    const mass = this.trace.end_mass?.[step];
    if (mass === undefined || mass === this.mass) return;
    this.mass = mass;
    this["end-mass"].querySelector("b").textContent = short(mass);
    this["end-mass"].querySelector(".fill").style.transform = `scaleX(${Math.min(1, mass)})`;
  }

  // ---- moving

  // After the last word: the next sentence, if there is one. Returns whether the playback goes on.
  goOn() {
    const next = this.active + 1;
    if (next === this.data.traces.length) return super.goOn();
    this.sentences.holdStill(() => this.show(next));
    this.playback.restart(this.trace.targets - 1);
    return true;
  }

  // ---- pointer

  listenToPointer() {
    const { grid, panel } = this;
    const wordOf = (event) => {
      const chip = event.target.closest(".chip");
      if (!chip) return null;
      const { target, source } = chip.dataset;
      return { target: target === undefined ? null : Number(target), source: source === undefined ? null : Number(source) };
    };
    const sourceOf = (event) => {
      const source = panel.bars.sourceAt(event);
      return source === null ? null : { target: this.shownStep(), source };
    };
    for (const element of [this.sources.row, this.targets.row]) this.follow(element, wordOf, true);
    this.follow(grid.cells, (event) => grid.cellAt(event), true);
    for (const element of [panel.energies, panel.weights]) this.follow(element, sourceOf, false);
    panel.context.onpointermove = (event) => panel.showUnit(event);
    panel.context.onpointerleave = () => (panel.unit.textContent = "");
    this.release.onclick = () => this.releaseLock();
    // A source word that the keys have reached counts as pointed at.
    this.on(this.sources.row, "focusin", (event) => event.target.matches(":focus-visible") && this.point(wordOf(event)));
    this.on(this.sources.row, "focusout", () => this.point(null));
  }

  // ---- keys

  actionOf({ key, target }) {
    if (key === "Escape") return () => this.escape();
    if (key === " ") return target.closest("button, summary") ? null : () => this.togglePlay();
    const inMatrix = target === this.grid.cells;
    if (key === "Enter") return inMatrix ? () => this.toggleLock({ target: this.shownStep(), source: null }) : null;
    const line = [this.sources, this.targets].find(({ row }) => row.contains(target));
    const forward = line?.row.dir === "rtl" ? -1 : 1;
    const rows = inMatrix ? { ArrowDown: 1, ArrowUp: -1 } : {};  // there a step is a row
    const move = { ArrowRight: forward, ArrowLeft: -forward, ...rows }[key];
    if (line === this.sources && move) return () => this.walkSources(Number(target.dataset.source) + move);
    const goal = move ? Math.round(this.position) + move : { Home: 0, End: this.trace.targets - 1 }[key];
    return goal === undefined ? null : () => this.walkTo(goal, line === this.targets);
  }

  escape() {
    this.controls.closeSaving();
    this.releaseLock();
  }

  walkTo(step, withFocus) {
    this.seek(step);
    if (withFocus) this.targets.at(this.position).element.focus();
  }

  walkSources(source) {
    if (source < 0 || source >= this.trace.sources) return;
    this.sources.reveal(source);
    this.sources.makeReachable(source);
    this.sources.at(source).element.focus();
  }
}

export default (component) => mount(views, Player, component);
