// A row for each source word: its annotation, energy, weight, and what it adds to the context; below them, their sum.

// Energies are drawn above the lowest of the step, since only their differences count.
const HEADINGS = [
  ["word", "source"],
  ["annotation", '<math><mrow class="symbol" data-symbol="annotation"><msub><mi class="vector" mathvariant="normal">h</mi><mi>i</mi></msub></mrow></math>'],
  ["energy", '<math><mrow class="symbol" data-symbol="energy"><msub><mi>u</mi><mi>i</mi></msub></mrow></math>'],
  ["weight", '<math><mrow class="symbol" data-symbol="weight"><msub><mi>α</mi><mi>i</mi></msub></mrow></math>'],
  ["length", '<math><mo>‖</mo><msub><mi class="vector" mathvariant="normal">h</mi><mi>i</mi></msub><mo>‖</mo></math>'],
  ["share", '<math><mo>‖</mo><msub><mi>α</mi><mi>i</mi></msub><msub><mi class="vector" mathvariant="normal">h</mi><mi>i</mi></msub><mo>‖</mo></math>'],
  ["part", '<math><mrow class="symbol" data-symbol="part"><msub><mi>α</mi><mi>i</mi></msub><msub><mi class="vector" mathvariant="normal">h</mi><mi>i</mi></msub></mrow></math>'],
];

class SourceTable {
  // `choose(source)` is called for the row under the pointer, `lock(source)` for the one that is clicked.
  constructor(root, inspect, choose, lock) {
    Object.assign(this, { root, inspect, choose, lock });
  }

  load(numbers) {
    this.numbers = numbers;
    const head = make("div", "item headings");
    head.setAttribute("role", "row");
    for (const [name, html] of HEADINGS) {
      const cell = make("span", name);
      cell.setAttribute("role", "columnheader");
      cell.innerHTML = html;
      head.append(cell);
    }
    this.rows = numbers.sourceLabels.map((label, s) => this.row(label, s));
    this.total = this.row("Σ", null);
    this.total.element.classList.add("total");
    this.total.strip.canvas.dataset.number = "context";
    this.root.replaceChildren(head, ...this.rows.map((row) => row.element), this.total.element);
  }

  row(label, source) {
    const element = make("div", "item"), cells = { element };
    element.setAttribute("role", "row");
    for (const [name] of HEADINGS) {
      const cell = make("span", name);
      cell.setAttribute("role", "cell");
      cells[name] = cell;
      element.append(cell);
    }
    const word = cells.word;
    word.textContent = label;
    word.dir = "auto";
    if (source !== null && source === this.numbers.source_end) word.classList.add("end");
    cells.strip = new Strip("part", this.inspect);
    cells.part.append(cells.strip.canvas);
    for (const name of ["energy", "weight", "share"]) {
      cells[name].append(make("span", "bar"), make("b"));
      cells[name].dataset.number = name;
    }
    if (source === null) return cells;
    cells.own = new Strip("annotation", this.inspect);
    cells.annotation.append(cells.own.canvas);
    element.onpointerenter = () => this.choose(source);
    element.onpointerleave = () => this.choose(null);
    element.onclick = () => this.lock(source);
    element.tabIndex = 0;
    element.onfocus = () => this.choose(source);
    element.onblur = () => this.choose(null);
    element.onkeydown = (event) => {
      const next = { ArrowUp: element.previousSibling, ArrowDown: element.nextSibling }[event.key];
      if (event.key === "Enter" || event.key === " ") this.lock(source);
      else if (next?.tabIndex !== 0) return;
      else next.focus();
      event.preventDefault();
      event.stopPropagation();
    };
    return cells;
  }

  draw(step, weights, context, chosen, locked, theme) {
    const { numbers } = this, width = numbers.widths.annotation;
    const energies = rowAt(numbers.energies, step, numbers.sources);
    const lengths = this.rows.map((_, s) => lengthOf(rowAt(numbers.annotations, s, width)));
    const shares = lengths.map((length, s) => length * weights[s]);
    const largest = Math.max(...shares, 1e-9), reach = reachOf(context) || 1;
    const low = Math.min(...energies), span = Math.max(...energies) - low || 1;
    this.rows.forEach((row, s) => {
      row.element.classList.toggle("now", s === chosen);
      row.element.classList.toggle("locked", s === locked);
      // Above the lowest: the softmax knows differences only.
      this.bar(row.energy, (energies[s] - low) / span, number(energies[s]));
      this.bar(row.weight, weights[s], exact(weights[s]));
      row.length.textContent = lengths[s].toFixed(2);
      this.bar(row.share, shares[s] / largest, shares[s].toFixed(2));
      const annotation = rowAt(numbers.annotations, s, width), label = numbers.sourceLabels[s];
      row.own.draw(annotation, 1, `annotation of “${label}”`, theme);
      row.strip.draw(annotation.map((value) => value * weights[s]), reach, `α h of “${label}”`, theme);
    });
    this.total.weight.querySelector("b").textContent = weights.reduce((sum, value) => sum + value, 0).toFixed(3);
    this.total.share.querySelector("b").textContent = lengthOf(context).toFixed(2);
    this.total.share.title = "the length of the sum: at most the sum of the lengths";
    this.total.strip.draw(context, reach, "context c", theme);
    return { lengths, shares };
  }

  bar(cell, share, text) {
    const [bar, figure] = cell.children;
    bar.style.width = `${100 * share}%`;
    figure.textContent = text;
  }
}
