// The panel of the current word: how sure, how spread, how much of the photo, and what else it considered.

class WordPanel {
  constructor(root) {
    const part = (name) => root.querySelector(".step ." + name);
    for (const name of ["count", "word", "probability", "entropy", "share", "meter", "largest", "where", "gate", "gate-part", "gate-key", "box-key", "alternatives"])
      this[name] = part(name);
    this.series = new Series(part("series"));
  }

  load(trace, theme, width) {
    Object.assign(this, { trace, shown: -1 });
    this["gate-part"].hidden = this["gate-key"].hidden = !trace.gate;
    this.series.load(trace, theme, width);
  }

  show(step, inside) {
    this["box-key"].hidden = !inside;
    this.series.canvas.hidden = !inside && !this.trace.gate;  // nothing to draw yet
    this.series.draw(step, inside);
    if (step === this.shown) return;
    this.shown = step;
    const { trace } = this, map = trace.mapOf(step), [most] = largest(map, 1);
    this.count.textContent = `Word ${step + 1} of ${trace.targets}`;
    this.word.textContent = trace.targetLabels[step];
    this.word.classList.toggle("end", step === trace.target_end);
    this.probability.textContent = exact(trace.probability[step]);
    const share = Math.max(0, Math.min(1, trace.entropy[step] / Math.log(trace.cells)));
    this.entropy.textContent = `${trace.entropy[step].toFixed(2)} nats`;
    this.share.textContent = `${Math.round(share * 100)} % of log ${trace.cells}`;
    this.meter.style.transform = `scaleX(${share})`;
    this.largest.textContent = weightOf(map[most]);
    this.where.textContent = cellName(trace, most);
    if (trace.gate) this.gate.textContent = exact(trace.gate[step]);
    this.alternatives.replaceChildren(...alternativesOf(trace.decoded[step] ?? []));
  }
}
