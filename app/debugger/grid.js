// The weights of a step over a photo: cells to click. A click puts a cell among those that share the weight, or takes it out.

class PhotoGrid {
  constructor(root, moved) {
    Object.assign(this, { root, moved, canvas: root.querySelector("canvas"), chosen: new Set(), cursor: 0 });
    this.canvas.onpointerdown = (event) => this.toggle(this.cellAt(event));
    this.canvas.onkeydown = (event) => this.onKey(event);
  }

  load({ rows, columns, aspect }, photo) {
    Object.assign(this, { rows, columns, aspect, chosen: new Set() });
    this.image = new Image();
    this.image.onload = () => this.draw();
    this.image.src = photo;
  }

  cellAt(event) {
    const box = this.canvas.getBoundingClientRect();
    const at = (offset, size, count) => Math.max(0, Math.min(count - 1, Math.floor((offset / size) * count)));
    return at(event.clientY - box.top, box.height, this.rows) * this.columns + at(event.clientX - box.left, box.width, this.columns);
  }

  onKey(event) {
    const move = { ArrowUp: -this.columns, ArrowDown: this.columns, ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (move) this.cursor = Math.max(0, Math.min(this.rows * this.columns - 1, this.cursor + move));
    else if (event.key === " " || event.key === "Enter") this.toggle(this.cursor);
    else return;
    event.preventDefault();
    this.draw();
  }

  toggle(cell) {
    this.cursor = cell;
    if (!this.chosen.delete(cell)) this.chosen.add(cell);
    if (!this.chosen.size) return this.moved(null);
    const share = 1 / this.chosen.size;
    this.moved(Array.from({ length: this.rows * this.columns }, (_, i) => (this.chosen.has(i) ? share : 0)));
  }

  show(weights, theme, own) {
    Object.assign(this, { weights, theme });
    if (own) this.chosen.clear();
    this.draw();
  }

  draw() {
    if (!this.weights || !this.image?.complete) return;
    const width = Math.min(360, this.root.clientWidth || 360), height = width / this.aspect, pen = penOf(this.canvas, width, height);
    pen.drawImage(this.image, 0, 0, width, height);
    const top = Math.max(...this.weights) || 1, [w, h] = [width / this.columns, height / this.rows];
    this.weights.forEach((weight, i) => {
      const x = (i % this.columns) * w, y = Math.floor(i / this.columns) * h;
      pen.fillStyle = `rgb(255 255 255 / ${0.1 + 0.65 * (weight / top)})`;
      pen.fillRect(x, y, w, h);
      if (!this.chosen.has(i) && i !== this.cursor) return;
      pen.strokeStyle = css(this.theme.primary);
      pen.lineWidth = this.chosen.has(i) ? 2.5 : 1;
      pen.strokeRect(x + 1, y + 1, w - 2, h - 2);
    });
    this.canvas.setAttribute("aria-label", `Weights over ${this.rows} by ${this.columns} cells; arrows move, space takes the cell at row ${Math.floor(this.cursor / this.columns) + 1}, column ${(this.cursor % this.columns) + 1}`);
  }
}
