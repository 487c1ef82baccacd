// The article player: a text under the heat of the current word of its headline. Nothing here reruns Python. See
// ../player/stage.js for how position, pointer and lock go together. A word of the article that is pointed at or locked
// shades the words of the headline that looked at it; the heat stays that of the current word.

const views = new WeakMap();

// As the player's line, and the end mark's weight is told with it.
class ArticleReadout extends Readout {
  show(step, column, pair, covering) {
    this.step = step;
    if (!covering) return super.show(step, column, pair);
    if (this.shown === "coverage") return;
    this.shown = "coverage";
    this.line.replaceChildren(...this.covered());
  }

  ranked(label, verb, weights, labels) {
    const { trace, step } = this, parts = super.ranked(label, verb, weights, labels);
    if (labels === trace.sourceLabels) parts.push("; the end mark got ", make("b", "", exact(trace.end_mass[step])));
    return parts;
  }

  covered() {
    const { trace } = this, end = trace.end_mass.reduce((sum, mass) => sum + mass, 0);
    const most = largest(trace.coverage, 3).flatMap((s, rank) => [rank ? ", " : "", word(trace.sourceLabels[s]), " ", make("b", "", exact(trace.coverage[s]))]);
    return [`All ${trace.targets} words together looked most at `, ...most, "; the end mark got ", make("b", "", exact(end))];
  }
}

class ArticlePlayer extends Stage {
  constructor(root) {
    super(root);
    const part = (name) => root.querySelector("." + name);
    for (const name of ["open", "badge", "notes", "release", "prose", "legend", "rests"]) this[name] = part(name);
    Object.assign(this, { sentence: -1, summed: part("summed") });
    this.headline = new Headline(part("targets"), "target");
    this.text = new Prose(this.prose, part("left-out"));
    this.sentences = new Sentences(part("shares"), (index) => this.pointSentence(index));
    this.readout = new ArticleReadout(part("readout"), part("live"));
    this.panel = new HeadlinePanel(root);
    this.controls = new Controls(root, this);
    this.listen();
    this.open.tabIndex = -1;
    this.open.onkeydown = (event) => this.onKey(event);
    this.observer = new ResizeObserver(() => this.width !== this.open.clientWidth && this.layOut());
    this.observer.observe(this.open);
  }

  listen() {
    this.follow(this.headline.row, (event) => {
      const chip = event.target.closest(".chip");
      return chip && { target: Number(chip.dataset.target), source: null };
    }, true);
    this.follow(this.prose, (event) => {
      const found = event.target.closest(".w");
      return found && { target: null, source: Number(found.dataset.source) };
    }, true);
    this.on(this.prose, "focusout", () => this.point(null));
    this.release.onclick = () => this.releaseLock();
  }

  // ---- loading

  load(data) {
    const same = this.data?.headline === data.headline;
    this.data = data;
    if (!same) this.loadTrace(readArticle(data.trace));
    this.readout.shown = "";
    this.layOut();
  }

  loadTrace(trace) {
    this.playback.stop();
    Object.assign(this, { trace, position: 0, pointed: null, lock: null, sentence: -1, shared: "" });
    this.mean = meanOf(trace);
    this.badge.hidden = !trace.forced;
    this.notes.replaceChildren(...trace.notes.map((note) => make("li", "", note)));
    this.rests.replaceChildren(...restsOf(trace));
    this.headline.load(trace);
    this.text.load(trace);
    this.sentences.load(trace);
    this.controls.load(trace);
    this.readout.load(trace);
    this.panel.load(trace);
  }

  layOut() {
    this.width = this.open.clientWidth;
    if (!this.width) return;  // not on the page yet; the observer calls again
    this.theme = readTheme(this.root);
    this.root.style.colorScheme = this.theme.dark ? "dark" : "light";
    this.drawLegend();
    this.headline.repaint();
    this.text.repaint();
    this.shared = "";
    this.render();
  }

  get covering() {
    return this.data.view === "coverage";
  }

  drawLegend() {
    const { scale } = this.data, part = (name) => this.legend.querySelector("." + name);
    const stops = this.theme.fills.filter((_, level) => level % 15 === 0);
    part("ramp").style.backgroundImage = `linear-gradient(to right, ${stops.join(", ")})`;
    this.top = this.covering ? coverageTop(this.trace) : scale.top;
    part("top").textContent = this.top === 1 ? "1" : this.top.toFixed(2);
    part("scale").textContent = this.covering
      ? `behind the words: the sum of their weights over the whole headline, 0 to ${part("top").textContent}`
      : `behind the words: weight of the current word, ${scale.label}`;
    this.summed.textContent = this.covering ? "mean over all words of the headline" : "of the current word";
  }

  save(format) {
    print(format, { ...this, covering: this.covering, step: Math.round(this.placeShown()) });
  }

  // ---- what is shown

  render() {
    if (!this.theme) return;
    const { trace, pointed, lock, playback, theme } = this;
    const place = this.placeShown(), step = Math.round(place);
    const probed = lock?.source ?? pointed?.source ?? null;
    this.showHeat(place);
    this.text.mark(probed ?? -1, this.sentence);
    this.headline.reveal(step);
    this.headline.makeReachable(step);
    this.headline.shade(probed === null ? null : columnOf(trace, probed), this.data.scale.top, theme);
    this.headline.writeFigures(probed === null ? null : columnOf(trace, probed), probed === null ? "none" : String(probed));
    const following = playback.playing || this.controls.dragging;
    const other = lock && pointed && pointed.target !== null ? pointed.target : -1;
    this.headline.mark(step, other, following ? step + 1 : trace.targets);
    this.panel.show(step);
    const pair = this.pair(), selected = lock ?? pointed;
    this.readout.show(step, probed, pair, this.covering && !selected && !playback.playing);
    this.controls.show(this.position, playback.playing);
    this.release.hidden = !lock;
    this.open.classList.toggle("locked", lock?.target != null);
    this.open.classList.toggle("by-word", lock?.source != null);
    this.open.classList.toggle("playing", playback.playing);
    if (!pointed || lock) this.readout.announce(step);
  }

  // The word of the headline whose weights are shown; a locked word of the article leaves it where the decoder stands.
  placeShown() {
    const { lock, pointed } = this;
    return lock?.target ?? (lock ? null : pointed?.target) ?? this.position;
  }

  showHeat(place) {
    const { trace, theme, top } = this;
    const shown = this.covering ? "coverage" : String(place);
    if (shown === this.shared) return;
    this.shared = shown;
    if (this.covering) {
      this.text.shade(trace.coverage, top, theme);
      return this.sentences.show(this.mean.sentences, this.mean.end);
    }
    const weights = blendedRow(trace, place);
    this.text.shade(weights, top, theme);
    this.sentences.show(bySentence(trace, weights), this.endAt(place));
  }

  // The end mark's weight, also between two steps.
  endAt(place) {
    const { end_mass } = this.trace, t = Math.floor(place), share = place - t;
    return share === 0 ? end_mass[t] : end_mass[t] * (1 - share) + end_mass[t + 1] * share;
  }

  // The one weight that is meant: what is pointed at on one side together with what is locked on the other.
  pair() {
    const { lock, pointed } = this;
    if (!lock || !pointed) return null;
    const target = lock.target ?? pointed.target, source = lock.source ?? pointed.source;
    return target === null || source === null ? null : { target, source };
  }

  pointSentence(index) {
    this.sentence = index;
    this.render();
  }

  // ---- keys

  actionOf({ key, target }) {
    if (key === "Escape") return () => this.escape();
    if (key === " ") return target.closest("button, summary") ? null : () => this.togglePlay();
    const move = { ArrowRight: 1, ArrowLeft: -1 }[key];
    if (target === this.prose) return this.inProse(key, move);
    const line = this.headline.row.contains(target), forward = line && this.headline.row.dir === "rtl" ? -1 : 1;
    const goal = move ? Math.round(this.position) + move * forward : { Home: 0, End: this.trace.targets - 1 }[key];
    return goal === undefined ? null : () => this.walkTo(goal, line);
  }

  escape() {
    this.controls.closeSaving();
    this.releaseLock();
  }

  walkTo(step, withFocus) {
    this.seek(step);
    if (withFocus) this.headline.at(this.position).element.focus();
  }

  // In the article the arrows walk its words, and Enter locks one.
  inProse(key, move) {
    const at = this.pointed?.source ?? this.lock?.source ?? -1;
    if (key === "Enter") return at < 0 ? null : () => this.toggleLock({ target: null, source: at });
    if (!move) return null;
    return () => {
      const source = Math.max(0, Math.min(this.trace.sources - 1, at < 0 ? 0 : at + move));
      this.lock = null;
      this.point({ target: null, source });
      this.text.reveal(source);
      this.readout.live.textContent = this.readout.line.textContent;
    };
  }
}

export default (component) => mount(views, ArticlePlayer, component);
