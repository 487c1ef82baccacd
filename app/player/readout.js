// The line under the words, and the same for a screen reader: what is shown, in a sentence with numbers.

const word = (label) => Object.assign(make("strong", "", label), { dir: "auto" });

class Readout {
  constructor(line, live) {
    Object.assign(this, { line, live });
  }

  load(trace) {
    Object.assign(this, { trace, shown: "", announced: -1 });
  }

  // One weight where `pair` names a target and a source; else the largest weights of the column or of the step.
  show(step, column, pair) {
    const { trace } = this;
    const shown = `${step} ${column} ${pair?.target} ${pair?.source}`;
    if (shown === this.shown) return;
    this.shown = shown;
    const parts = pair ? this.single(pair)
      : column !== null ? this.ranked(trace.sourceLabels[column], " got most from ", columnOf(trace, column), trace.targetLabels)
      : this.ranked(trace.targetLabels[step], " looked most at ", rowOf(trace, step), trace.sourceLabels);
    this.line.replaceChildren(...parts);
  }

  single({ target, source }) {
    const { trace } = this;
    return [word(trace.targetLabels[target]), " looked at ", word(trace.sourceLabels[source]), " with weight ",
      make("b", "", exact(trace.weights[target * trace.sources + source]))];
  }

  ranked(label, verb, weights, labels) {
    const parts = largest(weights, 3).filter((i, rank) => rank === 0 || weights[i] >= FIGURE_FROM)
      .flatMap((i, rank) => [rank ? ", " : "", word(labels[i]), " ", make("b", "", exact(weights[i]))]);
    return [word(label), verb, ...parts];
  }

  announce(step) {
    if (this.announced === step) return;
    this.announced = step;
    const { trace } = this, row = rowOf(trace, step), [most] = largest(row, 1);
    this.live.textContent = `step ${step + 1} of ${trace.targets}: ${trace.targetLabels[step]}, `
      + `${trace.verdict ? saidAt(trace.verdict, step) : `probability ${short(trace.probability[step])}`}, looked most at ${trace.sourceLabels[most]} ${short(row[most])}`;
  }
}
