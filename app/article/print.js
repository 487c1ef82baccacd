// The article under its heat as a picture: the words stand where they stand on the page. Both formats are drawn from
// one list of shapes, by the same pens as the picture of a matrix.

const HEAD = 58;  // pixels above the text: the headline, and the legend

function printOf(view) {
  const { trace, theme, prose } = view, box = prose.getBoundingClientRect();
  const head = printedHead(view);
  const height = Math.ceil(box.height) + HEAD + 2 * MARGIN + (trace.unread ? 24 : 0);
  const cut = writing("the model stopped reading here", MARGIN, height - MARGIN, 11, css(theme.quiet));
  const shapes = [...head, ...printedWords(view, box), ...(trace.unread ? [cut] : [])];
  const width = Math.ceil(Math.max(box.width, printedWidth(head, theme))) + 2 * MARGIN;
  return { shapes, width, height, background: css(theme.background), font: theme.font };
}

const writing = (text, x, y, size, fill, align = "left") => ({ kind: "text", text, x, y, size, fill, align, axis: "", slanted: false });

// The headline with the word that is shown, and the scale.
function printedHead({ trace, theme, covering, legend, step }) {
  const said = covering ? trace.translation : `${trace.targetLabels[step]}  ·  ${trace.translation}`;
  const ramp = Array.from({ length: 32 }, (_, i) => ({
    kind: "rect", x: MARGIN + 3 * i, y: MARGIN + 28, width: 3.5, height: 8, fill: theme.fills[Math.round((i / 31) * 255)],
  }));
  return [
    writing(said, MARGIN, MARGIN + 8, 17, css(theme.text)),
    writing(legend.querySelector(".scale").textContent, MARGIN + 108, MARGIN + 32, 11, css(theme.quiet)),
    ...ramp,
  ];
}

function printedWidth(head, theme) {
  const ruler = document.createElement("canvas").getContext("2d");
  return Math.max(...head.filter((shape) => shape.text).map((line) => {
    ruler.font = `${line.size}px ${theme.font}`;
    return line.x - MARGIN + ruler.measureText(line.text).width;
  }));
}

// The words over their heat, and the numbers of the sentences.
function printedWords({ trace, theme, prose, text }, box) {
  const size = parseFloat(getComputedStyle(prose).fontSize);
  const place = ({ left, top, width, height }) => ({ x: left - box.left + MARGIN, y: top - box.top + MARGIN + HEAD, width, height });
  return text.words.flatMap(({ element, level }, source) => {
    const ink = level ? theme.inks[level] : css(theme.text);
    const shapes = linesOf(element).flatMap(([part, rect]) => {
      const at = place(rect);
      const ground = level ? [{ kind: "rect", ...at, fill: theme.fills[level] }] : [];
      return [...ground, writing(part, at.x, at.y + at.height / 2, size, ink)];
    });
    const opens = trace.sentences.length > 1 && trace.sentenceOf[source] !== trace.sentenceOf[source - 1];
    if (!opens) return shapes;
    const at = place(element.getBoundingClientRect());
    return [...shapes, writing(String(trace.sentenceOf[source] + 1), at.x - 4, at.y + 7, 0.625 * size, css(theme.quiet), "right")];
  });
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
