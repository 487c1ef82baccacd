// The weight matrix: a row for each target word, a column for each source word.

const LABEL_FONT = 12, SMALLEST_FONT = 10;  // pixels
const LONGEST_LABEL = 120;  // pixels; longer labels end in an ellipsis
const SLANT = (55 * Math.PI) / 180;  // of the column labels
const LARGEST_CELL = 46, TALLEST = 560;  // pixels

// Where everything lies. `measure` gives the width of a text in the label font; also used for the saved picture.
function planMatrix(trace, measure, width, { ratio = 1, largest = LARGEST_CELL, tallest = TALLEST } = {}) {
  const { sources, targets } = trace;
  const widest = (labels, limit) => Math.min(limit, Math.max(...labels.map(measure)));
  const rowLabel = widest(trace.targetLabels, Math.min(LONGEST_LABEL, width * 0.3));
  const columnLabel = widest(trace.sourceLabels, LONGEST_LABEL);
  const left = Math.ceil(Math.max(rowLabel, 24)) + 10;
  const lastLabel = Math.min(columnLabel, measure(trace.sourceLabels.at(-1)));
  const room = width - left - 1;
  const slanted = (room - lastLabel * Math.cos(SLANT)) / sources >= SMALLEST_FONT + 2;
  const right = slanted ? Math.ceil(Math.max(2, lastLabel * Math.cos(SLANT) + 2)) : 14;
  // Whole screen pixels, where that costs little.
  const snap = (size) => (size * ratio >= 4 ? Math.floor(size * ratio) / ratio : size);
  let cellWidth = Math.min(largest, (room - right) / sources), cellHeight = Math.min(largest, tallest / targets);
  // Cells may be oblong, but not so much that a column and a row look like different things.
  cellHeight = snap(Math.min(cellHeight, Math.max(1.5 * cellWidth, SMALLEST_FONT + 4)));
  cellWidth = snap(Math.min(cellWidth, Math.max(1.5 * cellHeight, SMALLEST_FONT + 4)));
  const top = slanted ? Math.ceil(columnLabel * Math.sin(SLANT)) + 14 : 38;
  return {
    left, top, slanted, cellWidth, cellHeight, rowLabel, columnLabel,
    rowsNamed: cellHeight >= SMALLEST_FONT + 1,
    fontSize: Math.max(SMALLEST_FONT, Math.min(LABEL_FONT, Math.floor(Math.min(cellHeight, slanted ? cellWidth : LABEL_FONT)))),
    width: left + cellWidth * sources + right, height: top + cellHeight * targets + 1,
  };
}

// Shortens a text to a width, with an ellipsis.
function fitted(text, limit, measure) {
  if (measure(text) <= limit) return text;
  const characters = [...text];
  while (characters.length > 1 && measure(characters.join("") + "…") > limit) characters.pop();
  return characters.join("") + "…";
}

// How many cells lie between two numbered ones, where there is no room for labels.
const tickEvery = (cell) => [5, 10, 20, 50, 100, 200].find((every) => every * cell >= 34) ?? 500;

class Matrix {
  constructor(root) {
    const part = (name) => root.querySelector(name);
    Object.assign(this, {
      plate: part(".plate"), labels: part(".labels"), cells: part(".cells"),
      rowMark: part(".row-mark"), columnMark: part(".column-mark"),
      rowLabel: part(".row-label"), columnLabel: part(".column-label"),
    });
    this.ruler = document.createElement("canvas").getContext("2d");
  }

  measure = (text) => this.ruler.measureText(text).width;

  draw(trace, top, theme, width, tallest = TALLEST) {
    this.ruler.font = `${LABEL_FONT}px ${theme.font}`;
    this.trace = trace;
    this.plan = planMatrix(trace, this.measure, width, { ratio: window.devicePixelRatio || 1, tallest });
    const { left, cellWidth, cellHeight } = this.plan;
    Object.assign(this.plate.style, { width: `${this.plan.width}px`, height: `${this.plan.height}px` });
    Object.assign(this.cells.style, {
      left: `${left}px`, top: `${this.plan.top}px`,
      width: `${cellWidth * trace.sources}px`, height: `${cellHeight * trace.targets}px`,
    });
    this.drawCells(top, theme);
    this.drawLabels(theme);
    this.layMarks();
    this.cells.setAttribute("aria-label",
      `Attention weights of ${trace.targets} target words (rows) over ${trace.sources} source words (columns)`);
  }

  // One pixel a cell first, then enlarged by a whole number of screen pixels: every cell keeps exactly its colour.
  drawCells(top, theme) {
    const { sources, targets, weights } = this.trace;
    const small = Object.assign(document.createElement("canvas"), { width: sources, height: targets });
    const image = new ImageData(sources, targets);
    const packed = new Uint32Array(image.data.buffer);
    const ramp = theme.ramp.map(([r, g, b]) => ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0);
    for (let i = 0; i < packed.length; i++) packed[i] = ramp[levelOf(weights[i], top)];
    small.getContext("2d").putImageData(image, 0, 0);

    const ratio = window.devicePixelRatio || 1;
    const pixels = (size) => Math.max(1, Math.ceil(size * ratio - 0.01));
    const [w, h] = [pixels(this.plan.cellWidth), pixels(this.plan.cellHeight)];
    Object.assign(this.cells, { width: sources * w, height: targets * h });
    const pen = this.cells.getContext("2d");
    pen.imageSmoothingEnabled = false;
    pen.drawImage(small, 0, 0, sources * w, targets * h);
    if (Math.min(w, h) >= 10 * ratio) this.drawGrid(pen, w, h, theme);
  }

  drawGrid(pen, w, h, theme) {
    pen.fillStyle = css(theme.faint);
    for (let s = 1; s < this.trace.sources; s++) pen.fillRect(s * w, 0, 1, this.cells.height);
    for (let t = 1; t < this.trace.targets; t++) pen.fillRect(0, t * h, this.cells.width, 1);
  }

  drawLabels(theme) {
    const { plan, trace } = this;
    const pen = penOf(this.labels, plan.width, plan.height);
    pen.font = `${plan.fontSize}px ${theme.font}`;
    pen.fillStyle = css(theme.quiet);
    for (const label of matrixLabels(trace, plan, this.measure)) {
      pen.save();
      pen.translate(label.x, label.y);
      pen.rotate(label.slanted ? -SLANT : 0);
      Object.assign(pen, { textAlign: label.align, textBaseline: "middle" });
      pen.fillText(label.text, 0, 0);
      pen.restore();
    }
  }

  layMarks() {
    const { left, top, cellWidth, cellHeight, slanted, fontSize } = this.plan;
    const { sources, targets } = this.trace;
    const size = (element, x, y, width, height) =>
      Object.assign(element.style, { left: `${x}px`, top: `${y}px`, width: `${width}px`, height: `${height}px` });
    size(this.rowMark, left, top, cellWidth * sources, Math.max(3, cellHeight));
    size(this.columnMark, left, top, Math.max(3, cellWidth), cellHeight * targets);
    Object.assign(this.rowLabel.style, { width: `${left - 6}px`, top: `${top}px` });
    for (const element of [this.rowLabel, this.columnLabel]) element.style.fontSize = `${fontSize}px`;
    this.columnLabel.classList.toggle("slanted", slanted);
    this.marked = {};
  }

  // Frames a row (a fractional one while playing) and, if one is given, a column. Nothing is laid out anew for it.
  mark(row, column) {
    const { plan, trace, marked } = this;
    if (marked.row !== row) this.rowMark.style.transform = `translateY(${row * plan.cellHeight}px)`;
    const named = Math.round(row);
    if (marked.named !== named) {
      this.rowLabel.textContent = trace.targetLabels[named];
      this.rowLabel.style.transform = `translateY(${(named + 0.5) * plan.cellHeight}px) translateY(-50%)`;
    }
    if (marked.column !== column) this.markColumn(column);
    this.marked = { row, named, column };
  }

  markColumn(column) {
    const { left, top, cellWidth, slanted, width } = this.plan;
    const none = column === null;
    this.columnMark.hidden = this.columnLabel.hidden = none;
    if (none) return;
    this.columnMark.style.transform = `translateX(${column * cellWidth}px)`;
    const text = slanted ? fitted(this.trace.sourceLabels[column], LONGEST_LABEL, this.measure) : this.trace.sourceLabels[column];
    this.columnLabel.textContent = text;
    const middle = left + (column + 0.5) * cellWidth;
    // A label that lies flat stays within the plate.
    const x = slanted ? middle : Math.max(0, Math.min(middle - this.measure(text) / 2 - 4, width - this.measure(text) - 8));
    this.columnLabel.style.transform = slanted
      ? `translate(${x}px, ${top - 5}px) rotate(${-SLANT}rad) translateY(-50%)`
      : `translate(${x}px, ${top - 36}px)`;
  }

  // The cell under the pointer.
  cellAt(event) {
    const { trace, plan } = this;
    const inside = (value, count) => Math.max(0, Math.min(count - 1, Math.floor(value)));
    return {
      target: inside(event.offsetY / plan.cellHeight, trace.targets),
      source: inside(event.offsetX / plan.cellWidth, trace.sources),
    };
  }
}

// The labels beside the matrix and above it, or numbers where the cells are too small for words.
function matrixLabels(trace, plan, measure) {
  const { left, top, cellWidth, cellHeight } = plan;
  const numbers = (count, every) => Array.from({ length: count }, (_, i) => i).filter((i) => (i + 1) % every === 0);
  const rows = plan.rowsNamed ? trace.targetLabels.map((label, t) => [t, fitted(label, plan.rowLabel, measure)])
    : numbers(trace.targets, tickEvery(cellHeight)).map((t) => [t, String(t + 1)]);
  const columns = plan.slanted ? trace.sourceLabels.map((label, s) => [s, fitted(label, plan.columnLabel, measure)])
    : numbers(trace.sources, tickEvery(cellWidth)).map((s) => [s, String(s + 1)]);
  return [
    ...rows.map(([t, text]) => ({
      text, x: left - 8, y: top + (t + 0.5) * cellHeight, align: "right", slanted: false, axis: "target",
    })),
    ...columns.map(([s, text]) => ({
      text, x: left + (s + 0.5) * cellWidth + (plan.slanted ? 2 : 0), y: top - (plan.slanted ? 5 : 8),
      align: plan.slanted ? "left" : "center", slanted: plan.slanted, axis: "source",
    })),
  ];
}
