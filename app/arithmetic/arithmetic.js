// The arithmetic of one decoder step. The step is chosen on the target, the source word on the source; the energies,
// the weights at any temperature and the context are worked out here, from the numbers that the model had.

const views = new WeakMap();

const sub = (letter, index) => `<msub><mi class="vector">${letter}</mi><mrow>${index}</mrow></msub>`;
const unit = (letter, index) => `<msub><mover><mi class="vector">${letter}</mi><mo>^</mo></mover><mrow>${index}</mrow></msub>`;
const [I, T, BEFORE] = ["<mi>i</mi>", "<mi>t</mi>", "<mi>t</mi><mo>−</mo><mn>1</mn>"];
const MATH = {
  h: `<math>${sub("h", I)}</math>`, z: `<math>${sub("z", BEFORE)}</math>`, next: `<math>${sub("z", T)}</math>`, c: `<math>${sub("c", T)}</math>`,
};
// The parts of an energy, by the titles that numbers.js gives them.
const PARTS = {
  "W₁ h": `<math><msub><mi>W</mi><mn>1</mn></msub>${sub("h", I)}</math>`,
  "W₂ z + b": `<math><msub><mi>W</mi><mn>2</mn></msub>${sub("z", BEFORE)}<mo>+</mo><mi class="vector">b</mi></math>`,
  "tanh of their sum": "<span>tanh of their sum</span>",
  v: '<math><mi class="vector">v</mi></math>',
  "v times tanh": '<math><mi class="vector">v</mi><mo>⊙</mo><mi>tanh</mi></math>',
  "h W": `<math><msubsup><mi class="vector">h</mi>${I}<mi>⊤</mi></msubsup><mi>W</mi></math>`,
  "h at length 1": `<math>${unit("h", I)}</math>`, "z at length 1": `<math>${unit("z", BEFORE)}</math>`,
  "their product": "<span>their product ⊙</span>",
};
// What each symbol stands for, in words.
const MEANING = {
  annotation: "hᵢ, an annotation: what the encoder says of source piece i in its place, 256 numbers",
  query: "zₜ₋₁, the query: the decoder’s state before this step, all that it knows of what it has written",
  key: "what the energy takes of the source piece alone, worked out once a sentence",
  projected: "what the energy takes of the decoder’s state at this step",
  hidden: "the two added up and squeezed to between −1 and 1, component by component",
  vector: "v, learned: how much each component counts",
  product: "component by component; their sum is the energy",
  energy: "uᵢ, the energy: how well source piece i answers the decoder’s state; only differences between them count",
  learned: "τ, a temperature that was learned in training: small, so that cosines between −1 and 1 become energies that differ enough",
  weight: "αᵢ, the weight: the share of attention that source piece i gets; all of them sum to 1",
  temperature: "θ, a temperature to try: above 1 it evens the weights out, below 1 it sharpens them; the model works at 1",
  part: "αᵢ hᵢ: what source piece i adds to the context",
  share: "‖αᵢ hᵢ‖, the length of what source piece i adds: a large weight on a short annotation adds little",
  context: "cₜ, the context: the sum of all αᵢ hᵢ, what the decoder gets to see of the source at this step",
  state: "zₜ, the state after this step: the next step’s question",
  read: "yₜ₋₁, the word before, as its embedding of 256 numbers",
  word: "the probability of each word of the vocabulary: E holds an embedding for each, W and d are learned",
};
// What the model does at; the slider starts and the playback runs there.
const PLAIN = 1;

class ArithmeticPlayer extends Stage {
  constructor(root) {
    super(root);
    const part = (name) => root.querySelector("." + name);
    for (const name of ["open", "inspector", "live", "sum", "remark", "supposed", "chances", "chosen", "temperature"]) this[name] = part(name);
    this.slider = this.temperature.querySelector("input");
    this.sources = new WordLine(part("sources"), "source");
    this.targets = new WordLine(part("targets"), "target");
    this.controls = new Controls(root, this);
    this.controls.save.remove();
    const inspect = (text) => (this.inspector.textContent = text);
    const row = (name) => new VectorRow(name, inspect);
    this.table = new SourceTable(part("source"), inspect, (s) => this.point(s === null ? null : { target: null, source: s }),
      (s) => this.toggleLock({ target: Math.round(this.position), source: s }));
    this.ingredients = { h: row("annotation"), z: row("query") };
    part("ingredients").append(this.ingredients.h.element, this.ingredients.z.element);
    this.states = { before: row("query"), context: row("context"), after: row("state") };
    part("states").append(...Object.values(this.states).map(({ element }) => element));
    this.parts = new Map(["key", "projected", "query", "hidden", "vector", "product"].map((name) => [name, row(name)]));
    this.energyParts = part("energy-parts");
    this.listen();
    this.open.tabIndex = -1;
    this.open.onkeydown = (event) => this.onKey(event);
    this.observer = new ResizeObserver(() => this.width !== this.open.clientWidth && this.layOut());
    this.observer.observe(this.open);
  }

  listen() {
    const chipOf = (side) => (event) => {
      const chip = event.target.closest(".chip");
      if (!chip) return null;
      const index = Number(chip.dataset[side]);
      return side === "source" ? { target: this.lock?.target ?? Math.round(this.position), source: index } : { target: index, source: this.lock?.source ?? null };
    };
    this.follow(this.sources.row, chipOf("source"), true);
    this.follow(this.targets.row, chipOf("target"), true);
    this.slider.oninput = () => this.render();
    for (const type of ["pointerover", "focusin"]) this.on(this.root, type, (event) => this.light(nameOf(event)));
    for (const type of ["pointerout", "focusout"]) this.on(this.root, type, () => this.light(null));
    this.on(this.root, "click", (event) => this.follows(event));
    this.on(this.root, "keydown", (event) => event.key === "Enter" && this.follows(event));
  }

  // ---- symbols and their numbers

  light(name) {
    if (name === this.lit) return;
    this.lit = name;
    this.inspector.textContent = name ? MEANING[name] ?? "" : "";
    for (const element of this.root.querySelectorAll(".lit")) element.classList.remove("lit");
    if (name) for (const element of this.named(name)) element.classList.add("lit");
  }

  follows(event) {
    const symbol = event.target.closest(".symbol");
    if (symbol) this.goTo(symbol.dataset.symbol);
  }

  named(name) {
    return this.root.querySelectorAll(`[data-symbol="${name}"], [data-number="${name}"]`);
  }

  goTo(name) {
    const number = this.root.querySelector(`[data-number="${name}"]`);
    number?.scrollIntoView({ block: "nearest", behavior: reduceMotion.matches ? "auto" : "smooth" });
    this.light(name);
  }

  // ---- loading

  load(data) {
    const trace = readNumbers(data);
    // Another mechanism on the same text keeps the step, the temperature and the locked word, to be compared.
    const same = this.data?.text === data.text, last = trace.targets - 1;
    const kept = same ? { position: Math.min(Math.round(this.position), last), lock: this.lock && { ...this.lock, target: Math.min(this.lock.target ?? 0, last) } }
      : { position: Math.min(1, last), lock: null };
    const heat = same ? this.slider.value : trace.outcomes.findIndex(({ temperature }) => temperature === PLAIN);
    this.playback.stop();
    Object.assign(this, { data, trace, pointed: null, ...kept });
    const put = (name, html) => (this.root.querySelector(`.${name}-formula`).innerHTML = html);  // ours, not the user's
    for (const [name, html] of Object.entries(data.formulas)) put(name, html);
    this.sources.load(trace.sourceLabels, trace.source_glue, trace.source_end);
    this.targets.load(trace.targetLabels, trace.target_glue, trace.target_end);
    this.controls.load(trace);
    this.slider.max = trace.outcomes.length - 1;
    this.slider.value = heat;
    this.reach = { query: Math.max(reachOf(trace.queries), 0.01), key: reachOf(trace.keys), projected: reachOf(trace.projected) };
    this.table.load(trace);
    this.layOut();
  }

  layOut() {
    this.width = this.open.clientWidth;
    if (!this.width || !this.trace) return;
    this.theme = readTheme(this.root);
    this.root.style.colorScheme = this.theme.dark ? "dark" : "light";
    const { diverging } = this.theme, stops = Array.from({ length: 9 }, (_, i) => css(diverging[Math.round((i / 8) * (LEVELS - 1))]));
    this.root.querySelector(".strip-key .ramp").style.backgroundImage = `linear-gradient(to right, ${stops.join(", ")})`;
    this.sources.repaint();
    this.targets.repaint();
    this.render();
  }

  // ---- rendering: everything for one step and one source word

  render() {
    if (!this.width) return;
    const { trace, theme } = this, step = this.shownStep();
    const outcome = trace.outcomes[this.slider.valueAsNumber], { temperature } = outcome;
    const energies = rowAt(trace.energies, step, trace.sources);
    const weights = softmax(energies, temperature), plain = softmax(energies, PLAIN);
    const source = (this.pointed ?? this.lock)?.source ?? this.lock?.source ?? weights.indexOf(Math.max(...weights));
    const context = contextOf(weights, trace.annotations, trace.widths.annotation);
    this.controls.show(this.position, this.playback.playing);
    this.showWords(step, source, weights);
    this.showIngredients(step, source);
    this.showEnergy(step, source, energies[source]);
    const { lengths, shares } = this.table.draw(step, weights, context, source, this.lock?.source ?? null, theme);
    this.tellTemperature(temperature);
    this.remark.textContent = `${workedOut(trace.sourceLabels[source], energies, source, temperature, weights)} ${remarkOn(trace.sourceLabels, weights, lengths, shares)}`;
    this.showState(step, context, outcome);
    this.showWord(step, outcome, temperature, weights, plain);
  }

  showWords(step, source, weights) {
    this.sources.reveal(source);
    this.targets.reveal(step);
    this.sources.shade(weights, 1, this.theme);
    this.sources.writeFigures(weights, `${step} ${this.slider.value}`);
    this.sources.mark(-1, source);
    this.targets.mark(step, -1);
  }

  showIngredients(step, source) {
    const { trace, theme, reach } = this, { annotation, state } = trace.widths;
    this.ingredients.h.show(MATH.h, "", rowAt(trace.annotations, source, annotation), 1, theme);
    this.ingredients.h.label.append(` of “${trace.sourceLabels[source]}”`);
    this.ingredients.h.math = null;
    this.ingredients.z.show(MATH.z, "", rowAt(trace.queries, step, state), reach.query, theme);
    this.ingredients.z.label.append(` before “${trace.targetLabels[step]}”`);
    this.ingredients.z.math = null;
  }

  showEnergy(step, source, energy) {
    const { trace, theme } = this, { parts, divisor } = energyParts(trace, step, source);
    const rows = parts.map(([name]) => this.parts.get(name));
    if (this.partsShown !== trace.mechanism) this.energyParts.replaceChildren(...rows.map(({ element }) => element));
    this.partsShown = trace.mechanism;
    parts.forEach(([name, title, values], at) => {
      const reach = name === "product" || name === "vector" ? reachOf(values) : name === "hidden" ? 1 : Math.max(this.reach.key, this.reach.projected);
      rows[at].show(PARTS[title] ?? MATH[title], title, values, reach, theme);
    });
    const product = parts.at(-1)[2], total = product.reduce((sum, value) => sum + value, 0);
    this.sum.replaceChildren("The sum of these ", make("b", "", String(product.length)), " products is ");
    if (divisor !== 1) {
      this.sum.append(make("b", "", signed(total, 3)));
      const learned = make("b", "", divisor.toFixed(3));
      learned.dataset.number = "learned";
      this.sum.append(", the cosine; over the temperature that was learned, ", learned, ", it is ");
    }
    const figure = make("b", "", signed(energy, 3));
    figure.dataset.number = "energy";
    this.sum.append("the energy ", make("i", "", "u"), ` of “${trace.sourceLabels[source]}”: `, figure, ".");
  }

  tellTemperature(temperature) {
    this.temperature.querySelector("output").textContent = temperature;
    this.slider.setAttribute("aria-valuetext", String(temperature));
    this.supposed.hidden = temperature === PLAIN;
    this.supposed.textContent = temperature === PLAIN ? "" :
      `Supposed: the model works at θ = 1. From here on you see what this step alone would have come to at θ = ${temperature}, from the same state.`;
    this.root.querySelector(".path").classList.toggle("unreal", temperature !== PLAIN);
  }

  showState(step, context, outcome) {
    const { trace, theme, reach } = this, width = trace.widths.state;
    this.states.before.show(MATH.z, "the state before", rowAt(trace.queries, step, width), reach.query, theme);
    this.states.context.show(MATH.c, "the context", context, reachOf(context), theme);
    this.states.after.show(MATH.next, "the state after", rowAt(outcome.states, step, width), reach.query, theme);
  }

  showWord(step, outcome, temperature) {
    const { trace } = this, written = trace.targetLabels[step];
    this.chances.replaceChildren(...outcome.words[step].map(([token, chance]) => {
      const row = make("div", "alternative"), name = make("span", "token", token === "</s>" ? "end mark" : printable(token));
      const [track, fill] = [make("span", "track"), make("span", "fill")];
      fill.style.width = `${100 * chance}%`;
      track.append(fill);
      row.append(name, track, make("span", "figure-right", exact(chance)));
      row.classList.toggle("now", token === trace.decoded[step].token);
      return row;
    }));
    const own = trace.decoded[step], read = make("b", "", step ? trace.targetLabels[step - 1] : "the start mark");
    read.dataset.number = "read";
    this.chosen.replaceChildren("The word before was “", read, "”. ", temperature === PLAIN ? "Written: " : "Really written, at θ = 1: ",
      "“", make("b", "", written), `” with p ${exact(own.probability)}.`);
    if (!this.playback.playing) this.live.textContent = `step ${step + 1}: ${written}`;
  }

  actionOf(event) {
    if (event.target.matches("input")) return null;
    return {
      ArrowLeft: () => this.stepBy(-1), ArrowRight: () => this.stepBy(1), Home: () => this.seek(0), End: () => this.seek(this.trace.targets - 1),
      Escape: () => this.releaseLock(), " ": event.target.closest("button:not(.chip), .symbol, .item") ? null : () => this.togglePlay(),
    }[event.key];
  }
}

const CLEARLY = 1.1;

const nameOf = (event) => {
  const element = event.target.closest?.("[data-symbol], [data-number]");
  return element ? (element.dataset.symbol ?? element.dataset.number) : null;
};

// The softmax for one source word, with its numbers.
function workedOut(label, energies, source, temperature, weights) {
  const highest = Math.max(...energies), over = temperature === PLAIN ? "" : ` / ${temperature}`;
  const total = energies.reduce((sum, energy) => sum + Math.exp((energy - highest) / temperature), 0);
  const own = Math.exp((energies[source] - highest) / temperature);
  return `“${label}”: its energy is ${signed(energies[source] - highest)} beside the highest, exp(${signed(energies[source] - highest)}${over}) = ${exact(own)}; of ${total.toFixed(3)} in all that is α = ${exact(weights[source])}.`;
}

// What the weights do not say: a high weight on a short annotation adds little.
function remarkOn(labels, weights, lengths, shares) {
  const most = (values) => values.indexOf(Math.max(...values));
  const total = shares.reduce((sum, value) => sum + value, 0) || 1;
  const [heavy, large] = [most(weights), most(shares)];
  const percent = (value) => `${Math.round((100 * value) / total)} %`;
  if (heavy === large) return `“${labels[heavy]}” has the largest weight, and adds most to the context too (${percent(shares[heavy])}, by length).`;
  if (shares[large] < CLEARLY * shares[heavy]) return `“${labels[heavy]}” has the largest weight; “${labels[large]}” adds as much to the context, within a tenth, since its annotation is longer.`;
  return `“${labels[heavy]}” has the largest weight, ${exact(weights[heavy])}, but its annotation is short (${lengths[heavy].toFixed(2)}): `
    + `“${labels[large]}” adds more to the context, ${percent(shares[large])} by length against ${percent(shares[heavy])}.`;
}

export default (component) => mount(views, ArithmeticPlayer, component);
