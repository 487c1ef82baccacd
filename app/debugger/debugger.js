// Takes the decoder in hand. What a person does is sent to Python as an act, and comes back as another decoding; which
// step is looked at, and weights that are being dragged, live here.

const views = new WeakMap();
const TEMPERATURES = [0.1, 0.25, 0.5, 1, 2, 4, 10];

class Debugger {
  constructor(root) {
    const part = (name) => root.querySelector("." + name);
    Object.assign(this, { root, current: 0, dragged: null, send: () => {} });
    for (const name of ["told", "notes", "now-text", "was-text", "gain", "undo", "redo", "history", "acts", "count", "word", "faith", "alternatives",
      "typed", "say", "say-how", "write", "levers", "bars", "strip", "photo-grid", "apply", "reset", "heat", "diff", "changes", "diff-note", "symptoms", "tree-part", "tree-note", "live"]) this[name] = part(name);
    this.steps = new StepList(part("steps"), (step) => this.go(step));
    const moved = (weights) => this.drag(weights);
    this.sliders = new Levers(this.bars, moved, (position, masked) => this.act({ do: masked ? "unmask" : "mask", position }));
    this.grid = new PhotoGrid(this["photo-grid"], moved);
    this.tree = new BeamTree(part("tree"), (node) => this.lookAtNode(node), (tokens) => this.send({ do: "follow", tokens }));
    this.listen();
    this.observer = new ResizeObserver(() => this.width !== root.clientWidth && this.layOut());
    this.observer.observe(root);
  }

  unmount() {
    this.observer.disconnect();
  }

  listen() {
    this.undo.onclick = () => this.travel(-1);
    this.redo.onclick = () => this.travel(1);
    this.acts.onclick = (event) => {
      const button = event.target.closest("button");
      if (button) this.send({ do: "go", to: Number(button.value) });
    };
    this.alternatives.onclick = (event) => {
      const button = event.target.closest("button");
      if (button) this.act({ do: "force", token: Number(button.value) });
    };
    this.typed.onsubmit = (event) => {
      event.preventDefault();
      const input = this.typed.querySelector("input");
      if (input.value.trim()) this.act({ do: "force", text: input.value });
      input.value = "";
    };
    this.strip.onclick = (event) => {
      const button = event.target.closest("button");
      if (button) this.go(Number(button.value));
    };
    this.apply.onclick = () => this.act({ do: "attend", weights: Array.from(this.dragged) });
    this.reset.onclick = () => this.drag(null);
    this.heat.replaceChildren(...TEMPERATURES.map((value) => Object.assign(make("option", "", String(value)), { value })));
    this.heat.onchange = () => this.act({ do: "temperature", value: Number(this.heat.value) });
    this.root.onkeydown = (event) => {
      if (!(event.ctrlKey || event.metaKey) || event.target.matches("input")) return;
      const back = event.key === "z" && !event.shiftKey, forth = event.key === "y" || (event.key === "Z" && event.shiftKey);
      if (back || forth) event.preventDefault();
      if (back) this.travel(-1);
      if (forth) this.travel(1);
    };
  }

  act(act) {
    this.send({ ...act, step: this.current });
  }

  // Back or forth in what was done; the next press counts from there, though the answer has not come yet.
  travel(by) {
    const to = this.data.at + by;
    if (to < 0 || to >= this.data.acts.length) return;
    this.data.at = to;
    this.send({ do: "go", to });
  }

  // ---- loading

  load(data, send) {
    const fresh = this.data?.bench !== data.bench;
    const focused = this.data && this.root.contains(this.root.getRootNode().activeElement);
    Object.assign(this, { data, dragged: null, send: (act) => send({ ...act, bench: data.bench }) });
    this.now = new Float32Array(bytesOf(data.weights).buffer);
    this.before = new Float32Array(bytesOf(data.original_weights).buffer);
    this.current = fresh ? 0 : Math.min(this.current, data.steps.length - 1);
    this.steps.load(data);
    this.levers.hidden = !data.positions;
    if (data.grid && fresh) this.grid.load(data.grid, data.photo);
    this.bars.hidden = Boolean(data.grid);
    this["photo-grid"].hidden = !data.grid;
    this.levers.querySelector(".aside").textContent = data.grid ? "click cells: they share the weight" : "drag a bar; × crosses a source word out from here on";
    if (!data.grid) this.sliders.load(data.source, data.source_end);
    this.writeTexts();
    this.writeStrip();
    this.writeHistory();
    this.writeSymptoms();
    this["tree-part"].hidden = !data.beam;
    if (data.beam && this.treeOf !== data.beam.id) this.tree.load(data.beam, data.end);
    this.treeOf = data.beam?.id;
    this.nodeWeights = data.beam && new Float32Array(bytesOf(data.beam.weights).buffer);
    this.lookAtNode(null);
    this.layOut();
    this.live.textContent = data.text;
    // What had the focus may be gone or disabled now; the keys stay with the steps.
    if (focused && !this.root.contains(this.root.getRootNode().activeElement)) this.steps.list.focus({ preventScroll: true });
  }

  writeTexts() {
    const { data } = this, same = data.text === data.original_text;
    this.told.hidden = !data.told;
    this.told.textContent = data.told;
    this.notes.replaceChildren(...data.notes.map((note) => make("li", "", note)));
    const changed = new Set(data.steps.filter(({ before }) => before === null).map(({ token }) => token));
    this["now-text"].replaceChildren(...data.text.split(/(\s+)/).map((word) => {
      const isNew = !same && !data.original_text.split(/\s+/).includes(word) && word.trim();
      return isNew && changed.size ? make("mark", "", word) : document.createTextNode(word);
    }));
    this["was-text"].hidden = same;
    this["was-text"].lastElementChild.textContent = data.original_text;
    const gain = data.logprob - data.original_logprob, under = data.changed ? " under the changed attention" : "";
    const forced = data.reading ? "" : " What was forced counts with the model’s own probability.";
    this.gain.textContent = data.at === 0 && same ? `${data.of} ${signed(data.logprob)}`
      : `${data.of} ${signed(data.logprob)}${under}, ${Math.abs(gain) < 0.005 ? "as before" : `${signed(Math.abs(gain))} ${gain > 0 ? "more" : "less"} than before`}.${forced}`;
    this.say.textContent = data.reading ? "Verdict" : "Say something else";
    this["say-how"].textContent = data.reading ? "had the text ended here; type a word to put in the place of this one" : "click, or type a word";
    this.write.textContent = data.reading ? "Replace it" : "Write it";
  }

  // A step is hatched if its word hardly depends on the weights, else the darker the more it does.
  writeStrip() {
    const { faith, steps, end } = this.data;
    this.strip.hidden = !faith.length;
    this.strip.replaceChildren(...faith.map(({ hardly, flips, kl, told }, step) => {
      const most = Math.max(0, ...Object.values(kl)), button = Object.assign(make("button", hardly ? "hatched" : ""), { type: "button", value: step });
      button.title = `${tokenOf(steps[step].token, end)}: ${told}`;
      button.setAttribute("aria-label", button.title);
      if (!hardly) button.style.setProperty("--depends", flips.length ? 1 : Math.min(1, most));
      return button;
    }));
  }

  writeHistory() {
    const { acts, at } = this.data;
    this.undo.disabled = at === 0;
    this.redo.disabled = at === acts.length - 1;
    this.history.querySelector("summary").textContent = `${acts.length - 1} ${acts.length === 2 ? "change" : "changes"}`;
    this.acts.replaceChildren(...acts.map((text, index) => {
      const item = make("li", index === at ? "now" : ""), button = Object.assign(make("button", "", text), { type: "button", value: index });
      item.append(button);
      return item;
    }));
  }

  writeSymptoms() {
    const { symptoms, rows } = this.data;
    this.symptoms.hidden = !this.data.positions || this.data.reading;
    this.symptoms.querySelector("ul").replaceChildren(...(symptoms.length ? symptoms : [null]).map((symptom) => {
      if (!symptom) return make("li", "none", "None of those that are looked for.");
      const item = make("li"), go = Object.assign(make("button", "", symptom.name), { type: "button" });
      const first = symptom.rows[0];
      go.disabled = first === undefined;
      go.onclick = () => this.go(rows[first][0]);
      item.append(go, make("span", "", ` ${symptom.told} `), make("span", "aside", `${symptom.cause} ${symptom.advice}`));
      return item;
    }));
  }

  layOut() {
    this.width = this.root.clientWidth;
    if (!this.width || !this.data) return;
    this.theme = readTheme(this.root);
    this.root.style.colorScheme = this.theme.dark ? "dark" : "light";
    const { dragged } = this;
    this.show();
    if (dragged && !this.data.grid) this.sliders.show(dragged, this.data.steps[this.current].masked);
    if (dragged) this.drag(dragged);  // what is being dragged outlives another width or theme
  }

  // ---- the current step

  go(step) {
    Object.assign(this, { current: step, dragged: null });
    this.show();
  }

  drag(weights) {
    this.dragged = weights;
    if (!weights) return this.show();
    this.apply.disabled = this.reset.disabled = false;
    if (this.data.grid) this.grid.show(weights, this.theme, false);
  }

  show() {
    const { data, current } = this, step = data.steps[current], faith = data.faith[current];
    this.steps.show(current);
    this.count.textContent = `step ${current + 1} of ${data.steps.length}`;
    this.word.textContent = tokenOf(step.token, data.end);
    this.word.classList.toggle("end", step.token === data.end);
    this.faith.textContent = faith ? `${faith.told}${faith.agreement === null ? "" : ` Weights and what erasing each position costs agree by τ ${signed(faith.agreement)}.`}` : "";
    this.faith.classList.toggle("hatched", Boolean(faith?.hardly));
    this.alternatives.replaceChildren(...step.alternatives.map(([token, chance], at) => this.alternative(token, chance, step.ids[at], step)));
    this.apply.disabled = this.reset.disabled = true;
    if (data.positions) this.showWeights(step);
    if (data.positions) this.showChanges();
  }

  alternative(token, chance, id, step) {
    const button = Object.assign(make("button", "alternative"), { type: "button", value: id, disabled: id === step.id });
    const [track, fill] = [make("span", "track"), make("span", "fill")];
    fill.style.width = `${100 * chance}%`;
    track.append(fill);
    button.append(make("span", "token", tokenOf(token, this.data.end)), track, make("span", "figure-right", exact(chance)));
    return button;
  }

  showWeights(step) {
    const own = this.now.subarray(this.current * this.data.positions, (this.current + 1) * this.data.positions);
    if (this.data.grid) this.grid.show(Array.from(own), this.theme, true);
    else this.sliders.show(own, step.masked, this.data.faith[this.current]?.drops ?? null);
    if (!TEMPERATURES.includes(step.temperature)) this.heat.append(Object.assign(make("option", "", String(step.temperature)), { value: step.temperature }));
    this.heat.value = step.temperature;
  }

  showChanges() {
    const untouched = this.data.at === 0;
    this.diff.hidden = untouched;
    if (untouched) return;
    const { most, rows } = drawChanges(this.changes, this.data, this.now, this.before, this.theme, Math.max(200, this.diff.clientWidth));
    this["diff-note"].textContent = rows
      ? `${rows} ${rows === 1 ? "step" : "steps"} with the same word and other weights; the strongest colour is a change of ${most.toFixed(2)}.`
      : "No step that wrote the same word looks elsewhere than before.";
    this.changes.setAttribute("aria-label", this["diff-note"].textContent);
  }

  // The weights of a node of the beam, in words.
  lookAtNode(node) {
    if (!node) return void (this["tree-note"].textContent = "Point at a node to read it; its weights are shown here.");
    const { positions, source, source_end: end } = this.data, width = this.nodeWeights.length / this.tree.nodes.length;
    const weights = this.nodeWeights.subarray(node.index * width, (node.index + 1) * width);
    const named = source.length ? largest(weights, 3).map((s) => `${s === end ? "end mark" : printable(source[s])} ${short(weights[s])}`).join(", ") : "";
    this["tree-note"].textContent = this.tree.tell(node, tokenOf(node.token, this.data.end)) + (named && positions ? ` · looked at ${named}` : "");
  }
}

export default ({ parentElement, data, setTriggerValue }) => {
  const root = parentElement.querySelector(".player");
  if (views.get(parentElement)?.root !== root) {
    views.get(parentElement)?.unmount();
    views.set(parentElement, new Debugger(root));
  }
  const view = views.get(parentElement);
  if (view.data?.id !== data.id) view.load(data, (act) => setTriggerValue("act", act));
  else view.layOut();  // the theme has changed
  return () => {
    view.unmount();
    views.delete(parentElement);
  };
};
