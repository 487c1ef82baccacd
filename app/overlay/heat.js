// Weights over a photo as colours. The formula is that of attnviz.export: (1 - opacity) photo + opacity ramp(w / top).

const RAMP = [[0, 0, 4], [31, 12, 72], [85, 15, 109], [136, 34, 106], [186, 54, 85], [227, 89, 51], [249, 140, 10], [249, 201, 50], [252, 255, 164]];
const SHADES = 1024;
const COARSE = 480;  // pixels a side that are enough while a map moves: at 34 a cell, a step is a thirtieth of a cell

function rampAt(share) {
  const at = Math.max(0, Math.min(1, share)) * (RAMP.length - 1), low = Math.min(Math.floor(at), RAMP.length - 2);
  return mix(RAMP[low], RAMP[low + 1], at - low);
}

// All shades as pixels, in the byte order of little-endian machines: alpha, blue, green, red.
const SHADE_PIXELS = Uint32Array.from({ length: SHADES }, (_, i) => {
  const [r, g, b] = rampAt(i / (SHADES - 1));
  return ((255 << 24) | (b << 16) | (g << 8) | r) >>> 0;
});

// For each pixel along a side: its own cell, the nearest other one, and the other's share. A box blur half a cell wide:
// the inner half of a cell keeps its value, and neighbours mix within a quarter of a cell from their common edge.
function sharesAlong(cells, pixels) {
  const own = new Uint16Array(pixels), other = new Uint16Array(pixels), share = new Float32Array(pixels);
  for (let p = 0; p < pixels; p++) {
    const at = ((p + 0.5) * cells) / pixels, cell = Math.min(Math.floor(at), cells - 1), inside = at - cell;
    own[p] = cell;
    other[p] = Math.max(0, Math.min(cells - 1, cell + (inside < 0.5 ? -1 : 1)));
    share[p] = Math.max(0, 0.5 - 2 * Math.min(inside, 1 - inside));
  }
  return { own, other, share };
}

// The smoothed weight at each pixel's centre, row by row.
function spread(weights, rows, columns, width, height) {
  const across = sharesAlong(columns, width), down = sharesAlong(rows, height);
  const line = new Float32Array(columns), out = new Float32Array(width * height);
  for (let y = 0, i = 0; y < height; y++) {
    const upper = down.own[y] * columns, lower = down.other[y] * columns, part = down.share[y];
    for (let c = 0; c < columns; c++) line[c] = weights[upper + c] * (1 - part) + weights[lower + c] * part;
    for (let x = 0; x < width; x++, i++) out[i] = line[across.own[x]] * (1 - across.share[x]) + line[across.other[x]] * across.share[x];
  }
  return out;
}

// A surface of a fixed size that photo and colours are drawn on, at the present settings.
class Heat {
  constructor(trace, photo, canvas, width, height, ratio) {
    Object.assign(this, { trace, photo, canvas, pen: canvas.getContext("2d") });
    Object.assign(canvas, { width: Math.max(1, Math.round(width * ratio)), height: Math.max(1, Math.round(height * ratio)) });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
    this.surfaces = new Map();
  }

  // Where colours are computed before they are laid over the photo, at most that many pixels a side; made once.
  surface(most) {
    const { canvas, surfaces } = this, shrink = Math.min(1, most / Math.max(canvas.width, canvas.height));
    const [width, height] = [canvas.width, canvas.height].map((side) => Math.max(1, Math.round(side * shrink)));
    const name = `${width} ${height}`;
    if (!surfaces.has(name)) {
      const image = new ImageData(width, height);
      surfaces.set(name, {
        colours: Object.assign(document.createElement("canvas"), { width, height }),
        image, pixels: new Uint32Array(image.data.buffer),
      });
    }
    return surfaces.get(name);
  }

  // A map that rests is exact at every pixel; one that moves has no time for that on a large screen.
  draw(weights, top, looks, moving = false) {
    const { pen, canvas } = this;
    pen.globalAlpha = 1;
    pen.imageSmoothingEnabled = true;
    pen.drawImage(this.photo, 0, 0, canvas.width, canvas.height);
    pen.globalAlpha = looks.opacity;
    if (looks.smooth) this.drawSmooth(weights, top, this.surface(moving ? COARSE : Infinity));
    else this.drawCells(weights, top);
  }

  drawSmooth(weights, top, { colours, image, pixels }) {
    const { trace, pen, canvas } = this;
    const values = spread(weights, trace.rows, trace.columns, colours.width, colours.height);
    const scale = (SHADES - 1) / top;
    for (let i = 0; i < values.length; i++) pixels[i] = SHADE_PIXELS[Math.min(SHADES - 1, Math.round(values[i] * scale))];
    colours.getContext("2d").putImageData(image, 0, 0);
    pen.imageSmoothingEnabled = false;  // any more smoothing would be wider than half a cell
    pen.drawImage(colours, 0, 0, canvas.width, canvas.height);
  }

  // Exact cells, edge to edge.
  drawCells(weights, top) {
    const { trace, pen, canvas } = this;
    const x = trace.xs.map((edge) => Math.round((edge * canvas.width) / trace.width));
    const y = trace.ys.map((edge) => Math.round((edge * canvas.height) / trace.height));
    for (let cell = 0; cell < trace.cells; cell++) {
      const column = cell % trace.columns, row = (cell - column) / trace.columns;
      pen.fillStyle = css(rampAt(weights[cell] / top));
      pen.fillRect(x[column], y[row], x[column + 1] - x[column], y[row + 1] - y[row]);
    }
  }
}
