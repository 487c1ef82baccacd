// The player: what is shown, and what the pointer, the keys and the clock do to it. Nothing here reruns Python.
//
// Three things decide what is shown. `position` is where the decoder stands, fractional while it moves. `pointed` is
// the word or cell under the pointer, a preview. `lock` is what was clicked; it goes before both until it is released.
// Words and cells are {target, source}, with null for the side that is not meant.

const views = new WeakMap();

class Player {
  constructor(root) {
    const part = (name) => root.querySelector("." + name);
    Object.assign(this, { root, active: 0, position: 0, pointed: null, lock: null, dragging: false });
    for (const name of ["sentences", "open", "place", "badge", "notes", "words", "readout", "release", "back", "play", "forward", "seek",
      "counter", "speed", "save", "matrix", "step", "legend", "live"]) this[name + "Part"] = part(name);
    this.massPart = part("end-mass");
    this.sources = new WordLine(part("sources"), "source");
    this.targets = new WordLine(part("targets"), "target");
    this.links = new Links(part("links"));
    this.grid = new Matrix(root);
    this.panel = new StepPanel(root);
    this.playback = new Playback((position) => this.moveTo(position), () => this.goOn());
    this.listenToPointer();
    this.listenToControls();
    this.openPart.tabIndex = -1;  // a click between the words gives the player the keys
    this.openPart.onkeydown = (event) => this.onKey(event);
    this.observer = new ResizeObserver(() => this.width !== this.openPart.clientWidth && this.layOut());
    this.observer.observe(this.openPart);
    document.fonts.ready.then(() => this.trace && this.layOut());  // canvases do not repaint themselves for a late font
  }

  unmount() {
    this.playback.stop();
    this.observer.disconnect();
  }

  // ---- loading

  load(data) {
    const same = this.data?.traces.length === data.traces.length && this.data.traces[this.active].text === data.traces[this.active].text;
    this.data = data;
    this.playback.stop();
    this.listSentences();
    this.open(same ? this.active : 0);
  }

  listSentences() {
    const { traces } = this.data;
    this.root.append(this.openPart);
    this.sentencesPart.hidden = traces.length < 2;
    this.items = traces.length < 2 ? [] : traces.map((trace, i) => this.sentence(trace, i));
    this.sentencesPart.replaceChildren(...this.items);
  }

  // A sentence that is not open: its text and translation, as one button.
  sentence(trace, index) {
    const item = make("li"), button = make("button", "pair");
    button.type = "button";
    const line = (name, text) => Object.assign(make("span", name, text), { dir: "auto" });
    button.append(make("span", "number", String(index + 1)), line("text", trace.text), line("translation", trace.translation));
    if (trace.notes.length) button.append(make("span", "flag", trace.notes.length === 1 ? "1 note" : `${trace.notes.length} notes`));
    button.onclick = () => {
      this.pause();
      this.open(index);
      this.openPart.focus({ preventScroll: true });
      this.scrollToWords();
    };
    item.append(button);
    return item;
  }

  open(index) {
    const { traces } = this.data;
    this.active = index;
    this.trace = readTrace(traces[index]);
    Object.assign(this, { position: 0, pointed: null, lock: null, announced: -1 });
    if (this.items.length) this.moveInto(this.items[index]);
    this.showHead();
    this.sources.load(this.trace.sourceLabels, this.trace.source_glue, this.trace.source_end);
    this.targets.load(this.trace.targetLabels, this.trace.target_glue, this.trace.target_end);
    Object.assign(this.seekPart, { max: this.trace.targets - 1, disabled: this.trace.targets === 1 });
    this.massPart.hidden = !this.trace.end_mass;
    this.layOut();
  }

  // Puts the open view into a sentence of the list. Moving an element takes its focus away, so it is given back.
  moveInto(item) {
    const focused = this.root.getRootNode().activeElement;
    this.sentencesPart.querySelector(".active")?.classList.remove("active");
    item.classList.add("active");
    item.append(this.openPart);
    if (focused && this.openPart.contains(focused)) focused.focus({ preventScroll: true });
  }

  showHead() {
    const { trace, data } = this, count = data.traces.length;
    this.placePart.textContent = count > 1 ? `Sentence ${this.active + 1} of ${count}` : "";
    this.badgePart.hidden = !trace.forced;
    this.notesPart.replaceChildren(...trace.notes.map((note) => make("li", "", note)));
  }

  // Draws everything that depends on the width or on the theme.
  layOut() {
    this.width = this.openPart.clientWidth;
    if (!this.width) return;  // not on the page yet; the observer calls again
    this.theme = readTheme(this.root);
    const { trace, theme, data } = this;
    this.grid.draw(trace, data.scale.top, theme, this.matrixPart.clientWidth);
    this.panel.load(trace, theme, this.stepPart.clientWidth);
    this.root.style.colorScheme = theme.dark ? "dark" : "light";  // for the browser's own parts, as the list of speeds
    this.drawLegend();
    for (const line of [this.sources, this.targets]) line.repaint();
    this.links.measure(this.sources, this.targets);
    this.render();
  }

  drawLegend() {
    const { scale } = this.data, { fills } = this.theme;
    const stops = fills.filter((_, level) => level % 15 === 0);
    this.legendPart.querySelector(".ramp").style.backgroundImage = `linear-gradient(to right, ${stops.join(", ")})`;
    this.legendPart.querySelector(".top").textContent = topOf(scale);
    this.legendPart.querySelector(".scale").textContent = `colour: ${scale.label}`;
  }

  // ---- what is shown

  render() {
    const { trace, theme, pointed, lock } = this;
    if (!theme) return;
    const top = this.data.scale.top;
    const selection = lock ?? pointed;
    const column = selection && selection.target === null ? selection.source : null;
    const place = selection?.target ?? this.position, step = Math.round(place);
    const probed = pointed?.source ?? selection?.source ?? null;
    const following = this.playback.playing || this.dragging;

    this.revealWords(step, probed, pointed);
    // Colours blend between two steps; figures never do: they are those of the nearest step.
    const weights = column === null ? blendedRow(trace, place) : columnOf(trace, column);
    const figures = Number.isInteger(place) || column !== null;
    const [shaded, other] = column === null ? [this.sources, this.targets] : [this.targets, this.sources];
    shaded.shade(weights, top, theme, figures);
    other.shade(null, top, theme, true);
    this.targets.mark(step, column === null || pointed?.target == null ? -1 : pointed.target, following ? step + 1 : trace.targets);
    this.sources.mark(column ?? -1, column === null && probed !== null ? probed : -1);
    this.openPart.classList.toggle("by-source", column !== null);
    this.links.draw(column === null ? "target" : "source", column ?? place, weights, top, theme);
    this.grid.mark(place, probed);
    this.panel.show(step, probed);
    this.showLock();
    this.showMass(step, column);
    this.showReading(step, column);
    this.showControls();
    if (!pointed || lock) this.announce(step);
  }

  // Long lines show a window of words; it follows the decoder, but never the pointer that rests on the words.
  revealWords(step, probed, pointed) {
    const inMatrix = pointed && pointed.target !== null && pointed.source !== null;
    if (pointed && !inMatrix) return;
    const fresh = [this.targets.reveal(step), this.sources.reveal(probed ?? largest(rowOf(this.trace, step), 1)[0])];
    if (fresh.some(Boolean)) this.links.measure(this.sources, this.targets);
    this.targets.makeReachable(step);
    if (!this.sources.reachable?.element.isConnected) this.sources.makeReachable(this.sources.first);
  }

  showLock() {
    const { lock } = this;
    this.releasePart.hidden = !lock;
    this.openPart.classList.toggle("locked", lock !== null);
  }

  showMass(step, column) {
    const mass = this.trace.end_mass?.[step];
    if (mass === undefined || mass === this.mass) return;
    this.mass = mass;
    this.massPart.querySelector("b").textContent = short(mass);
    this.massPart.querySelector(".fill").style.transform = `scaleX(${Math.min(1, mass)})`;
  }

  showControls() {
    const { trace } = this, step = Math.round(this.position);
    this.showSeek();
    const playing = this.playback.playing;
    const shown = `${this.active} ${step} ${playing} ${trace.targets}`;
    if (shown === this.controlsShown) return;
    this.controlsShown = shown;
    this.counterPart.textContent = `${step + 1} / ${trace.targets}`;
    this.seekPart.setAttribute("aria-valuetext", `step ${step + 1} of ${trace.targets}: ${trace.targetLabels[step]}`);
    this.playPart.classList.toggle("playing", playing);
    this.openPart.classList.toggle("playing", playing);
    this.playPart.querySelector("span").textContent = playing ? "Pause" : "Play";
    this.backPart.disabled = step === 0;
    this.forwardPart.disabled = step === trace.targets - 1;
  }

  showSeek() {
    const { position, seekPart } = this;
    if (seekPart.valueAsNumber !== position && !this.dragging) seekPart.value = position;
    const done = `${(100 * position) / Math.max(1, this.trace.targets - 1)}%`;
    if (done === this.done) return;
    this.done = done;
    seekPart.style.setProperty("--done", done);
  }

  // The line under the words: one weight where a pair is meant, else the largest ones.
  showReading(step, column) {
    const { trace, pointed, lock } = this;
    const target = lock?.target ?? pointed?.target ?? null, source = (lock?.target === null ? lock.source : null) ?? pointed?.source ?? lock?.source ?? null;
    const cell = pointed?.target != null && pointed?.source != null ? pointed : { target, source };
    const key = `${this.active} ${step} ${column} ${cell.target} ${cell.source}`;
    if (key === this.read) return;
    this.read = key;
    const parts = cell.target !== null && cell.source !== null ? this.pairReading(cell)
      : column !== null ? this.rankReading(trace.sourceLabels[column], " got most from ", columnOf(trace, column), trace.targetLabels)
      : this.rankReading(trace.targetLabels[step], " looked most at ", rowOf(trace, step), trace.sourceLabels);
    this.readoutPart.replaceChildren(...parts);
  }

  pairReading({ target, source }) {
    const { trace } = this;
    return [word(trace.targetLabels[target]), " looked at ", word(trace.sourceLabels[source]), " with weight ",
      make("b", "", exact(trace.weights[target * trace.sources + source]))];
  }

  rankReading(label, verb, weights, labels) {
    const parts = largest(weights, 3).filter((i, rank) => rank === 0 || weights[i] >= FIGURE_FROM)
      .flatMap((i, rank) => [rank ? ", " : "", word(labels[i]), " ", make("b", "", exact(weights[i]))]);
    return [word(label), verb, ...parts];
  }

  announce(step) {
    if (this.announced === step) return;
    this.announced = step;
    const { trace } = this, row = rowOf(trace, step), [most] = largest(row, 1);
    this.livePart.textContent = `step ${step + 1} of ${trace.targets}: ${trace.targetLabels[step]}, `
      + `probability ${short(trace.probability[step])}, looked most at ${trace.sourceLabels[most]} ${short(row[most])}`;
  }

  // ---- moving

  moveTo(position) {
    const last = this.trace.targets - 1;
    this.position = Math.max(0, Math.min(last, reduceMotion.matches ? Math.round(position) : position));
    this.render();
  }

  // A move that the user asked for: the decoder goes there, and what was locked or pointed at no longer counts.
  seek(position) {
    this.playback.stop();
    Object.assign(this, { lock: null, pointed: null });
    this.moveTo(position);
  }

  stepBy(count) {
    this.seek(Math.round(this.position) + count);
  }

  togglePlay() {
    if (this.playback.playing) return this.pause();
    Object.assign(this, { lock: null, pointed: null });
    const last = this.trace.targets - 1, start = Math.round(this.position);
    this.playback.start(start >= last ? 0 : start, last);
    this.render();
  }

  pause() {
    if (!this.playback.playing) return;
    this.playback.stop();
    this.moveTo(Math.round(this.position));
  }

  // After the last word: the next sentence, if there is one. Returns whether the playback goes on.
  goOn() {
    if (this.active + 1 < this.data.traces.length) {
      this.open(this.active + 1);
      this.playback.restart(this.trace.targets - 1);
      this.scrollToWords();
      return true;
    }
    this.playback.stop();
    this.moveTo(this.trace.targets - 1);
    return false;
  }

  scrollToWords() {
    this.wordsPart.scrollIntoView({ block: "nearest", behavior: reduceMotion.matches ? "auto" : "smooth" });
  }

  // ---- pointer

  listenToPointer() {
    const { root, grid, panel } = this;
    const wordOf = (event) => {
      const chip = event.target.closest(".chip");
      if (!chip) return null;
      const { target, source } = chip.dataset;
      return { target: target === undefined ? null : Number(target), source: source === undefined ? null : Number(source) };
    };
    const cellOf = (event) => grid.cellAt(event);
    const sourceOf = (event) => {
      const source = panel.bars.sourceAt(event);
      return source === null ? null : { target: this.shownStep(), source };
    };
    this.follow(this.sources.row, wordOf);
    this.follow(this.targets.row, wordOf);
    this.follow(grid.cells, cellOf);
    this.follow(panel.energies, sourceOf, false);
    this.follow(panel.weights, sourceOf, false);
    panel.context.onpointermove = (event) => panel.showUnit(event);
    panel.context.onpointerleave = () => (panel.unit.textContent = "");
    this.releasePart.onclick = () => this.releaseLock();
    root.onfocusin = (event) => {
      const chip = event.target.closest?.(".chip[data-source]:focus-visible");
      if (chip) this.point(wordOf(event));
    };
  }

  // Pointing previews, a click locks. A word that comes under a resting pointer does not count: only a pointer that
  // has really moved points.
  follow(element, find, lockable = true) {
    element.onpointermove = (event) => {
      const resting = event.clientX === this.pointerX && event.clientY === this.pointerY;
      [this.pointerX, this.pointerY] = [event.clientX, event.clientY];
      if (!resting && !this.playback.playing) this.point(find(event));
    };
    element.onpointerleave = () => this.point(null);
    if (lockable) element.onclick = (event) => this.toggleLock(find(event));
  }

  shownStep() {
    return (this.lock ?? this.pointed)?.target ?? Math.round(this.position);
  }

  point(found) {
    if (same(found, this.pointed)) return;
    this.pointed = found;
    if (!this.playback.playing) this.render();
  }

  toggleLock(found) {
    if (!found) return;
    this.pause();
    this.lock = same(found, this.lock) ? null : found;
    if (this.lock && this.lock.target !== null) this.position = this.lock.target;
    this.render();
  }

  releaseLock() {
    this.lock = null;
    this.pointed = null;
    this.render();
  }

  // ---- controls and keys

  listenToControls() {
    this.playPart.onclick = () => this.togglePlay();
    this.backPart.onclick = () => this.stepBy(-1);
    this.forwardPart.onclick = () => this.stepBy(1);
    this.seekPart.oninput = () => {
      this.dragging = true;
      this.seek(this.seekPart.valueAsNumber);
    };
    this.seekPart.onchange = () => {
      this.dragging = false;
      this.seek(Math.round(this.seekPart.valueAsNumber));
    };
    this.speedPart.onchange = (event) => (this.playback.speed = Number(event.target.value));
    this.savePart.onclick = (event) => {
      const format = event.target.value;
      if (!format) return;
      savePicture(format, this.trace, this.data.scale, this.theme);
      this.savePart.open = false;
    };
    this.savePart.onfocusout = (event) => {
      if (!this.savePart.contains(event.relatedTarget)) this.savePart.open = false;
    };
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select")) return;
    const act = this.actionOf(event);
    if (!act) return;
    event.preventDefault();
    act();
  }

  actionOf({ key, target }) {
    const last = this.trace.targets - 1;
    if (key === "Escape") return () => ((this.savePart.open = false), this.releaseLock());
    if (key === " ") return target.closest("button, summary") ? null : () => this.togglePlay();
    if (target.matches(".cells") && key === "Enter") return () => this.toggleLock({ target: this.shownStep(), source: null });
    const line = [this.sources, this.targets].find(({ row }) => row.contains(target));
    const forward = line?.row.dir === "rtl" ? -1 : 1;
    const vertical = target.matches(".cells");  // there a step is a row
    const step = { ArrowRight: forward, ArrowLeft: -forward, ...(vertical && { ArrowDown: 1, ArrowUp: -1 }) }[key];
    if (line === this.sources && step) return () => this.walkSources(Number(target.dataset.source) + step);
    const goal = step ? Math.round(this.position) + step : { Home: 0, End: last }[key];
    if (goal === undefined) return null;
    return () => {
      this.seek(goal);
      if (line === this.targets) this.targets.at(Math.round(this.position))?.element.focus();
    };
  }

  walkSources(source) {
    if (source < 0 || source >= this.trace.sources) return;
    this.sources.reveal(source);
    this.sources.makeReachable(source);
    this.sources.at(source).element.focus();
    this.point({ target: null, source });
  }
}

const same = (a, b) => a?.target === b?.target && a?.source === b?.source;
const word = (label) => Object.assign(make("strong", "", label), { dir: "auto" });

export default function ({ parentElement, data }) {
  const root = parentElement.querySelector(".player");
  if (views.get(parentElement)?.root !== root) {
    views.get(parentElement)?.unmount();
    views.set(parentElement, new Player(root));
  }
  const view = views.get(parentElement);
  if (view.data?.id !== data.id) view.load(data);
  else view.layOut();  // the theme has changed
  return () => {
    view.unmount();
    views.delete(parentElement);
  };
}
