// The matrix as a picture for a paper: SVG with real text, or PNG at twice the size.

const MARGIN = 20, LEGEND = 54;  // pixels

// What the picture consists of, in drawing order: rectangles and texts. Both formats draw this same list.
function pictureOf(trace, scale, theme) {
  const ruler = document.createElement("canvas").getContext("2d");
  ruler.font = `${LABEL_FONT}px ${theme.font}`;
  const measure = (text) => ruler.measureText(text).width;
  const longest = Math.max(trace.sources, trace.targets);
  const cell = longest <= 40 ? 26 : longest <= 120 ? 14 : 4;
  const room = cell * trace.sources + 2 * LONGEST_LABEL + 40;
  const plan = planMatrix(trace, measure, room, { largest: cell, tallest: cell * trace.targets });
  const shapes = [
    ...pictureCells(trace, plan, scale, theme),
    ...pictureLabels(trace, plan, theme, measure),
    ...pictureLegend(plan, scale, theme),
  ];
  const width = Math.ceil(Math.max(plan.width, plan.left + 200)) + 2 * MARGIN;
  const height = Math.ceil(plan.height) + LEGEND + 2 * MARGIN;
  return { shapes, width, height, background: css(theme.background), font: theme.font };
}

function pictureCells(trace, plan, scale, theme) {
  const { left, top, cellWidth, cellHeight } = plan;
  const shapes = [{
    kind: "frame", x: left + MARGIN - 0.5, y: top + MARGIN - 0.5,
    width: cellWidth * trace.sources + 1, height: cellHeight * trace.targets + 1, stroke: css(theme.line),
  }];
  for (let t = 0; t < trace.targets; t++) {
    for (let s = 0; s < trace.sources; s++) {
      const level = levelOf(trace.weights[t * trace.sources + s], scale.top);
      if (level === 0) continue;  // the colour of the background: nothing to draw
      shapes.push({
        kind: "cell", x: left + MARGIN + s * cellWidth, y: top + MARGIN + t * cellHeight,
        width: cellWidth, height: cellHeight, fill: theme.fills[level], cell: `${t},${s}`,
      });
    }
  }
  return shapes;
}

function pictureLabels(trace, plan, theme, measure) {
  return matrixLabels(trace, plan, measure).map((label) => ({
    kind: "text", ...label, x: label.x + MARGIN, y: label.y + MARGIN, size: plan.fontSize, fill: css(theme.text),
  }));
}

function pictureLegend(plan, scale, theme) {
  const y = plan.height + MARGIN + 20, x = plan.left + MARGIN;
  const note = { kind: "text", size: 11, fill: css(theme.text), axis: "legend", slanted: false };
  const steps = 64, width = 2.5;
  const bars = Array.from({ length: steps }, (_, i) => ({
    kind: "rect", x: x + i * width, y, width: width + 0.5, height: 9, fill: theme.fills[Math.round((i / (steps - 1)) * 255)],
  }));
  return [
    ...bars,
    { kind: "frame", x: x - 0.5, y: y - 0.5, width: steps * width + 1.5, height: 10, stroke: css(theme.line) },
    { ...note, text: "0", x, y: y + 18, align: "left" },
    { ...note, text: topOf(scale), x: x + steps * width, y: y + 18, align: "right" },
    { ...note, text: `Weight, colour from ${scale.label}`, x, y: y + 34, align: "left" },
  ];
}

const topOf = (scale) => String(Number(scale.top.toFixed(3)));

// Escapes text for XML and replaces what XML cannot hold.
function escaped(text) {
  const legal = text.replace(/[\u0000-\u0008\u000B\u000C\u000E-\u001F\uFFFE\uFFFF]|\p{Surrogate}/gu, "\uFFFD");
  return legal.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
}

function svgOf({ shapes, width, height, background, font }) {
  const anchor = { left: "start", center: "middle", right: "end" };
  const box = ({ x, y, width: w, height: h }) => `x="${x}" y="${y}" width="${w}" height="${h}"`;
  const draw = {
    frame: (shape) => `<rect ${box(shape)} fill="none" stroke="${shape.stroke}"/>`,
    rect: (shape) => `<rect ${box(shape)} fill="${shape.fill}"/>`,
    cell: (shape) => `<rect ${box(shape)} fill="${shape.fill}" data-cell="${shape.cell}"/>`,
    text: (shape) => {
      const turned = shape.slanted ? ` transform="rotate(${(-SLANT * 180) / Math.PI} ${shape.x} ${shape.y})"` : "";
      return `<text x="${shape.x}" y="${shape.y}" font-size="${shape.size}" fill="${shape.fill}" dominant-baseline="central"`
        + ` text-anchor="${anchor[shape.align]}" class="${shape.axis}"${turned}>${escaped(shape.text)}</text>`;
    },
  };
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}"`
    + ` shape-rendering="crispEdges" font-family="${escaped(font)}">\n<rect width="${width}" height="${height}" fill="${background}"/>\n`
    + shapes.map((shape) => draw[shape.kind](shape)).join("\n") + "\n</svg>\n";
}

function canvasOf({ shapes, width, height, background, font }) {
  const canvas = Object.assign(document.createElement("canvas"), { width: 2 * width, height: 2 * height });
  const pen = canvas.getContext("2d");
  pen.scale(2, 2);
  pen.fillStyle = background;
  pen.fillRect(0, 0, width, height);
  for (const shape of shapes) {
    pen.fillStyle = shape.fill;
    if (shape.kind === "frame") {
      pen.strokeStyle = shape.stroke;
      pen.strokeRect(shape.x, shape.y, shape.width, shape.height);
    } else if (shape.kind === "text") {
      pen.save();
      pen.font = `${shape.size}px ${font}`;
      Object.assign(pen, { textAlign: shape.align, textBaseline: "middle" });
      pen.translate(shape.x, shape.y);
      pen.rotate(shape.slanted ? -SLANT : 0);
      pen.fillText(shape.text, 0, 0);
      pen.restore();
    } else {
      pen.fillRect(shape.x, shape.y, shape.width, shape.height);
    }
  }
  return canvas;
}

async function savePicture(format, trace, scale, theme) {
  const picture = pictureOf(trace, scale, theme);
  const blob = format === "svg" ? new Blob([svgOf(picture)], { type: "image/svg+xml" })
    : await new Promise((resolve) => canvasOf(picture).toBlob(resolve, "image/png"));
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `attention.${format}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
