// One model of the comparison: what it wrote, where it looked, and how spread each look was.

const SPREAD = 58;  // pixels for the entropies beside the matrix
const TALLEST_HERE = 330;  // pixels of the rows, so that several matrices are seen at once

const CARD = `<header><h3 class="name"></h3><span class="badge forced" hidden>forced: you chose this translation</span></header><p class="translation" dir="auto"></p><p class="summary"></p>
  <ul class="notes"></ul>
  <div class="picture"><div class="plate"><canvas class="labels" aria-hidden="true"></canvas>
    <canvas class="cells" role="img" tabindex="0"></canvas><div class="column-mark" hidden></div><div class="row-mark" hidden></div>
    <div class="row-label" dir="auto" aria-hidden="true" hidden></div><div class="column-label" dir="auto" aria-hidden="true" hidden></div></div>
    <canvas class="spread" role="img"></canvas></div>`;

class Card {
  constructor(model) {
    this.element = make("section", "card");
    this.element.innerHTML = CARD;
    const part = (name) => this.element.querySelector("." + name);
    for (const name of ["translation", "summary", "picture", "spread", "notes"]) this[name] = part(name);
    this.model = model;
    this.trace = model.trace && readTrace(model.trace);
    part("name").textContent = model.name;
    part("name").parentElement.insertAdjacentHTML("beforeend", model.formula);  // ours, not the user's
    part("forced").hidden = !model.forced;
    this.notes.replaceChildren(...model.notes.map((note) => make("li", "", note)));
    this.writeTranslation();
    if (this.trace) this.matrix = new Matrix(this.element);
    else this.picture.replaceChildren(make("p", "nothing",
      "No weights: this model looks at nothing. The encoder’s last state, one vector for the whole text, is all that it gets at every step."));
    this.summary.textContent = this.summarise();
    this.summary.title = "Confidence: the mean probability of a piece (geometric). Entropy: how spread the weights of a word are, from 0 on one source word to the given number when all weigh the same.";
  }

  // The translation in spans, one a word of the matrix, so that a word can be marked in it.
  writeTranslation() {
    const { translation, target, target_glue: glue } = this.model.trace ?? {};
    if (!target) return void (this.translation.textContent = this.model.text);
    this.spans = target.map((_, t) => make("span", "", t === this.trace.target_end ? "" : this.trace.targetLabels[t]));
    this.translation.replaceChildren(...this.spans.flatMap((span, t) => (t && !glue[t] ? [" ", span] : [span])));
    this.translation.setAttribute("aria-label", translation);
  }

  summarise() {
    const { confidence, trace } = this.model;
    const sure = `confidence ${short(confidence)}`;
    if (!trace) return sure;
    const mean = trace.entropy.reduce((sum, value) => sum + value, 0) / trace.entropy.length;
    return `${sure} · mean entropy ${mean.toFixed(2)} of ${this.model.flat.toFixed(2)} nats`;
  }

  draw(top, theme, width) {
    if (!this.matrix) return;
    this.matrix.draw(this.trace, top, theme, width - SPREAD, TALLEST_HERE);
    const { plan } = this.matrix, { entropy } = this.trace;
    const pen = penOf(this.spread, SPREAD, plan.height);
    pen.font = `11px ${theme.font}`;
    pen.textBaseline = "middle";
    pen.fillStyle = css(theme.quiet);
    pen.fillText("entropy", 8, plan.top - 9);
    const tall = plan.cellHeight >= SMALLEST_FONT + 3;
    entropy.forEach((value, t) => {
      const y = plan.top + (t + 0.5) * plan.cellHeight, height = Math.max(1, Math.min(8, plan.cellHeight - 2));
      pen.fillStyle = css(theme.line);
      pen.fillRect(8, y - height / 2, tall ? 20 : SPREAD - 12, height);
      pen.fillStyle = css(theme.bar);
      pen.fillRect(8, y - height / 2, (tall ? 20 : SPREAD - 12) * Math.min(1, value / this.model.flat), height);
      pen.fillStyle = css(theme.quiet);
      if (tall) pen.fillText(value.toFixed(2), 32, y);
    });
    this.spread.setAttribute("aria-label", `Entropy of each row in nats: ${entropy.map((value) => value.toFixed(2)).join(", ")}`);
  }

  // The row that belongs to a word of another model's translation: the same word, nearest to the same place.
  rowFor(label, share) {
    const same = this.trace.targetLabels.map((own, t) => [own.toLowerCase() === label.toLowerCase(), t]).filter(([is]) => is);
    if (!same.length) return null;
    const distance = (t) => Math.abs(t / this.trace.targets - share);
    return same.map(([, t]) => t).reduce((best, t) => (distance(t) < distance(best) ? t : best));
  }

  mark(place) {
    if (!this.matrix) return;
    const { rowMark, rowLabel } = this.matrix;
    const row = place?.row ?? null;
    rowMark.hidden = rowLabel.hidden = row === null;
    this.matrix.mark(row ?? 0, place ? place.source : null);
    this.spans?.forEach((span, t) => span.classList.toggle("now", t === row));
  }
}
