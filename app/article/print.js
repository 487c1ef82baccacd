// The article under its heat as a picture: the words stand where they stand on the page. Both formats are drawn from
// one list of shapes, by the same pens as the picture of a matrix.

const HEAD = 58;  // pixels above the text: the headline, and the legend

function printOf({ trace, theme, top, covering, prose, legend, step, text }) {
  const box = prose.getBoundingClientRect(), size = parseFloat(getComputedStyle(prose).fontSize);
  const written = { kind: "text", align: "left", axis: "", slanted: false };
  const place = ({ left, top: y, width, height }) => ({ x: left - box.left + MARGIN, y: y - box.top + MARGIN + HEAD, width, height });
  const shapes = text.words.flatMap(({ element, level }) => linesOf(element).flatMap(([part, rect]) => {
    const at = place(rect);
    const ground = level ? [{ kind: "rect", ...at, fill: theme.fills[level] }] : [];
    return [...ground, { ...written, text: part, x: at.x, y: at.y + at.height / 2, size, fill: level ? theme.inks[level] : css(theme.text) }];
  }));
  const said = covering ? trace.targetLabels.join(" ") : `${trace.targetLabels[step]}  ·  ${trace.translation}`;
  const scale = legend.querySelector(".scale").textContent;
  const head = [
    { ...written, text: said, x: MARGIN, y: MARGIN + 8, size: 17, fill: css(theme.text) },
    { ...written, text: `0 to ${legend.querySelector(".top").textContent} ${scale}`, x: MARGIN, y: MARGIN + 32, size: 11, fill: css(theme.quiet) },
  ];
  const ruler = document.createElement("canvas").getContext("2d");
  const wide = Math.max(...head.map((line) => {
    ruler.font = `${line.size}px ${theme.font}`;
    return ruler.measureText(line.text).width;
  }));
  const height = Math.ceil(box.height) + HEAD + 2 * MARGIN + (trace.unread ? 24 : 0);
  const cut = { ...written, text: "the model stopped reading here", x: MARGIN, y: height - MARGIN, size: 11, fill: css(theme.quiet) };
  return {
    shapes: [...head, ...shapes, ...(trace.unread ? [cut] : [])], height,
    width: Math.ceil(Math.max(box.width, wide)) + 2 * MARGIN, background: css(theme.background), font: theme.font,
  };
}

// The lines of a word with their places. A word stands on one line, unless it is longer than that.
function linesOf(element) {
  const node = element.firstChild, range = document.createRange();
  if (!node) return [];
  range.selectNodeContents(element);
  if (range.getClientRects().length === 1) return [[node.data, range.getBoundingClientRect()]];
  const lines = [];
  for (const { segment, index } of new Intl.Segmenter().segment(node.data)) {
    range.setStart(node, index);
    range.setEnd(node, index + segment.length);
    const rect = range.getBoundingClientRect(), line = lines.at(-1);
    if (line && Math.abs(line[1].top - rect.top) < rect.height / 2)
      lines[lines.length - 1] = [line[0] + segment, DOMRect.fromRect({ x: Math.min(line[1].x, rect.x), y: line[1].y, width: line[1].width + rect.width, height: line[1].height })];
    else lines.push([segment, rect]);
  }
  return lines;
}

async function print(format, view) {
  const picture = printOf(view);
  const blob = format === "svg" ? new Blob([svgOf(picture)], { type: "image/svg+xml" })
    : await new Promise((resolve) => canvasOf(picture).toBlob(resolve, "image/png"));
  const link = Object.assign(document.createElement("a"), { href: URL.createObjectURL(blob), download: `article.${format}` });
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}
