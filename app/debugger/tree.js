// The beam as a tree, from left to right. Each node's radius says its word's probability; a dropped one is faint.

const COLUMN = 74, ROW = 24, RADIUS = 8;  // pixels
const SVG = "http://www.w3.org/2000/svg";

const draw = (tag, attributes, text = "") => {
  const element = document.createElementNS(SVG, tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.textContent = text;
  return element;
};

class BeamTree {
  // `look(node)` is called for the node that is pointed at or reached by key (null: none), `take(tokens)` for a click.
  constructor(svg, look, take) {
    Object.assign(this, { svg, look, take });
  }

  load(tree, end) {
    Object.assign(this, { nodes: tree.nodes.map((node, index) => ({ ...node, index, children: [] })) });
    const roots = this.nodes.filter((node) => node.parent < 0);
    for (const node of this.nodes) if (node.parent >= 0) this.nodes[node.parent].children.push(node);
    let leaves = 0;
    // Kept ones first, so that the hypotheses that were returned run along the top.
    const place = (list) => {
      list.sort((a, b) => b.best - a.best || (b.fate !== "dropped") - (a.fate !== "dropped") || b.total - a.total);
      for (const node of list) {
        place(node.children);
        node.y = node.children.length ? node.children[0].y : leaves++ * ROW + ROW;
        node.x = (node.step + 1) * COLUMN;
      }
    };
    place(roots);
    const width = (Math.max(...this.nodes.map(({ step }) => step)) + 2) * COLUMN + 30;
    Object.entries({ width, height: leaves * ROW + ROW, viewBox: `0 0 ${width} ${leaves * ROW + ROW}` }).forEach(([name, value]) => this.svg.setAttribute(name, value));
    this.svg.replaceChildren(...this.nodes.map((node) => this.edge(node)), ...this.nodes.map((node) => this.knot(node, end)));
  }

  edge(node) {
    const from = node.parent >= 0 ? this.nodes[node.parent] : { x: 20, y: this.nodes[0].y };
    const middle = (from.x + node.x) / 2;
    return draw("path", { class: `edge ${node.fate} ${node.best ? "best" : ""}`, d: `M${from.x} ${from.y}C${middle} ${from.y} ${middle} ${node.y} ${node.x} ${node.y}` });
  }

  knot(node, end) {
    const group = draw("g", { class: `knot ${node.fate} ${node.best ? "best" : ""}`, tabindex: node.index ? "-1" : "0", role: "button", "data-node": node.index });
    const label = tokenOf(node.token, end);
    group.setAttribute("aria-label", this.tell(node, label));
    group.append(draw("title", {}, this.tell(node, label)),
      draw("circle", { class: "reach", cx: node.x, cy: node.y, r: 11 }),
      draw("circle", { cx: node.x, cy: node.y, r: 2 + (RADIUS - 2) * Math.sqrt(node.p) }),
      draw("text", { x: node.x, y: node.y - RADIUS - 1 }, label.length > 10 ? `${label.slice(0, 9)}…` : label));
    if (node.rank !== null) group.append(draw("text", { class: "rank", x: node.x + RADIUS + 3, y: node.y + 4 }, `#${node.rank + 1}`));
    group.onpointerenter = () => this.look(node);
    group.onpointerleave = () => this.look(null);
    group.onfocus = () => this.look(node);
    group.onclick = () => this.take(this.path(node));
    group.onkeydown = (event) => this.onKey(event, node);
    return group;
  }

  tell(node, label) {
    const fate = node.rank !== null ? `${node.stopped ? "stopped at the limit" : "finished"}, rank ${node.rank + 1}, score ${signed(node.score)}` : node.fate === "dropped" ? `dropped after step ${node.step + 1}` : node.fate;
    return `step ${node.step + 1}: ${label}, p ${exact(node.p)}, sum of ln p ${signed(node.total)}, ${fate}`;
  }

  path(node) {
    const tokens = [];
    for (let at = node; at; at = at.parent >= 0 ? this.nodes[at.parent] : null) tokens.unshift(at.id);
    return tokens;
  }

  onKey(event, node) {
    const siblings = node.parent >= 0 ? this.nodes[node.parent].children : this.nodes.filter(({ parent }) => parent < 0);
    const at = siblings.indexOf(node);
    const next = {
      ArrowLeft: () => this.nodes[node.parent], ArrowRight: () => node.children[0],
      ArrowUp: () => siblings[at - 1], ArrowDown: () => siblings[at + 1],
    }[event.key];
    if (event.key === "Enter" || event.key === " ") this.take(this.path(node));
    else if (!next) return;
    event.preventDefault();
    const target = next?.();
    if (target) this.svg.querySelector(`[data-node="${target.index}"]`).focus();
  }
}
