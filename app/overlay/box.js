// A box that is drawn on the photo, and the weight inside it.

// The share of each cell, along one side, that lies between two points.
function coveredAlong(start, stop, cells, pixels) {
  return Float64Array.from({ length: cells }, (_, c) => {
    const low = Math.max((c * pixels) / cells, start), high = Math.min(((c + 1) * pixels) / cells, stop);
    return (Math.max(0, high - low) * cells) / pixels;
  });
}

// The weight of one word inside a box, in photo pixels; a cell that is cut counts with the share of its area inside.
function boxMass(weights, { rows, columns, width, height }, { left, top, right, bottom }) {
  const across = coveredAlong(left, right, columns, width), down = coveredAlong(top, bottom, rows, height);
  let mass = 0;
  for (let r = 0; r < rows; r++) for (let c = 0; c < columns; c++) mass += weights[r * columns + c] * down[r] * across[c];
  return mass;
}

const LEAST_DRAG = 4;  // screen pixels; less is a click

// Listens to a canvas for drags, and tells of the box in photo pixels; null when a click clears it.
class BoxDrawing {
  constructor(canvas, changed) {
    Object.assign(this, { canvas, changed, start: null });
    canvas.onpointerdown = (event) => event.button === 0 && this.begin(event);
    canvas.onpointerup = (event) => this.end(event);
    canvas.onpointercancel = () => (this.start = null);
  }

  load(trace) {
    Object.assign(this, { trace, start: null });
  }

  // Where on the photo an event is, in its pixels.
  place(event) {
    const area = this.canvas.getBoundingClientRect();
    const along = (at, from, length, pixels) => (Math.max(0, Math.min(1, (at - from) / length)) * pixels);
    return { x: along(event.clientX, area.left, area.width, this.trace.width), y: along(event.clientY, area.top, area.height, this.trace.height) };
  }

  begin(event) {
    this.start = { ...this.place(event), clientX: event.clientX, clientY: event.clientY };
    if (event.pointerType === "mouse") this.canvas.setPointerCapture(event.pointerId);
  }

  // Returns whether a box is being drawn.
  move(event) {
    if (!this.start || !this.dragged(event)) return false;
    this.changed(this.boxTo(event));
    return true;
  }

  end(event) {
    if (!this.start) return;
    this.changed(this.dragged(event) ? this.boxTo(event) : null);
    this.start = null;
  }

  dragged(event) {
    return Math.hypot(event.clientX - this.start.clientX, event.clientY - this.start.clientY) >= LEAST_DRAG;
  }

  boxTo(event) {
    const { x, y } = this.place(event), { start } = this;
    return { left: Math.min(x, start.x), right: Math.max(x, start.x), top: Math.min(y, start.y), bottom: Math.max(y, start.y) };
  }
}
