// The panel of the current word: how sure, how spread, what it rests on, and what else the decoder considered.

class HeadlinePanel {
  constructor(root) {
    const part = (name) => root.querySelector(".step ." + name);
    for (const name of ["count", "word", "probability", "entropy", "share", "meter", "rest", "alternatives"])
      this[name] = part(name);
  }

  load(trace) {
    Object.assign(this, { trace, shown: -1 });
  }

  show(step) {
    if (step === this.shown) return;
    this.shown = step;
    const { trace } = this, positions = trace.sources + 1;  // the end mark is one of them
    this.count.textContent = `Word ${step + 1} of ${trace.targets}`;
    this.word.textContent = trace.targetLabels[step];
    this.probability.textContent = exact(trace.probability[step]);
    const share = Math.max(0, Math.min(1, trace.entropy[step] / Math.log(positions)));
    this.entropy.textContent = `${trace.entropy[step].toFixed(2)} nats`;
    this.share.textContent = `${Math.round(share * 100)} % of log ${positions}`;
    this.meter.style.transform = `scaleX(${share})`;
    const rest = restOf(trace, step);
    this.rest.hidden = !rest;
    this.rest.replaceChildren(...(rest ? [word(trace.targetLabels[step]), " ", ...rest] : []));
    this.alternatives.replaceChildren(...alternativesOf(trace.decoded[step] ?? []));
  }
}
