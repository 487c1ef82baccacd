// The panel of the current step: the word, its alternatives, energies, weights and context.

class StepPanel {
  constructor(root) {
    const part = (name) => root.querySelector(".step ." + name);
    for (const name of ["count", "word", "probability", "entropy", "share", "meter", "alternatives", "energies", "weights",
      "note", "mass", "probe", "context", "width", "unit"]) this[name] = part(name);
    this.contextPart = part("context-part");
    this.written = [part("alternatives-part"), part("probability-part")];
    this.verdict = new Verdict(root);
    this.bars = new Bars(this.energies, this.weights);
  }

  load(trace, theme, width) {
    Object.assign(this, { trace, theme, probed: null, shown: -1 });
    this.bars.load(trace, theme, width);
    this.verdict.load(trace);
    for (const element of this.written) element.hidden = Boolean(trace.verdict);  // given words have neither
    this.note.textContent = trace.energies_note ?? "The energies of this step are not defined.";
    this.contextPart.hidden = !trace.context_width;
    const reach = trace.context_scale?.toFixed(2);
    this.width.textContent = `${trace.context_width} units, blue −${reach} to orange ${reach}`;
  }

  show(step, probed) {
    const { trace } = this;
    if (step === this.shown && probed === this.probed) return;
    const known = this.bars.draw(step, probed);
    this.note.hidden = known;
    this.probe.textContent = probed === null ? "" : this.reading(step, probed);
    if (step !== this.shown) this.showWord(step);
    Object.assign(this, { shown: step, probed });
  }

  showWord(step) {
    const { trace } = this;
    this.count.textContent = `Step ${step + 1} of ${trace.targets}`;
    this.word.textContent = trace.targetLabels[step];
    this.word.classList.toggle("end", step === trace.target_end);
    this.probability.textContent = exact(trace.probability[step]);
    this.showEntropy(step);
    this.mass.textContent = trace.end_mass ? `, end mark ${short(trace.end_mass[step])}` : "";
    this.showAlternatives(step);
    this.verdict.show(step);
    this.unit.textContent = "";
    if (trace.context_width) drawContext(this.context, trace, step, this.theme);
  }

  // The entropy of the weights, also as a share of the largest that they could have: that of an even spread.
  showEntropy(step) {
    const { trace } = this;
    const positions = trace.sources + (trace.end_mass ? 1 : 0);
    const most = Math.log(positions), entropy = trace.entropy[step];
    const share = most > 0 ? Math.max(0, Math.min(1, entropy / most)) : 0;
    this.entropy.textContent = `${entropy.toFixed(2)} nats`;
    this.share.textContent = most > 0 ? `${Math.round(share * 100)} % of log ${positions}` : "one position only";
    this.meter.style.transform = `scaleX(${share})`;
  }

  showAlternatives(step) {
    this.alternatives.replaceChildren(...alternativesOf(this.trace.decoded[step] ?? []));
  }

  reading(step, source) {
    const { trace } = this;
    const at = step * trace.sources + source;
    const energy = trace.energies[at];
    const said = Number.isNaN(energy) ? "" : energy === -Infinity ? "masked (energy −∞), " : `energy ${signed(energy, 3)}, `;
    return `${trace.sourceLabels[source]}: ${said}weight ${exact(trace.weights[at])}`;
  }

  showUnit(event) {
    const { trace, shown } = this;
    const unit = Math.floor((event.offsetX / this.context.clientWidth) * trace.context_width);
    if (unit >= 0 && unit < trace.context_width)
      this.unit.textContent = `unit ${unit + 1}: ${signed(contextValue(trace, shown, unit), 3)}`;
  }
}
