// One step's weights as bars to drag. What is dragged takes its weight from the others, in proportion; nothing is sent
// before "Go on with these weights".

const HEIGHT = 84;  // pixels of a bar of weight 1

// The weights when one of them is set: the others share what is left in their proportion, or evenly if they have none.
function withWeight(weights, position, value, masked) {
  const others = weights.reduce((sum, weight, i) => (i === position ? sum : sum + weight), 0);
  const free = weights.filter((_, i) => i !== position && !masked.includes(i)).length;
  if (!free) return weights.map((_, i) => (i === position ? 1 : 0));
  return weights.map((weight, i) => {
    if (i === position) return value;
    if (masked.includes(i)) return 0;
    return others > 1e-12 ? (weight / others) * (1 - value) : (1 - value) / free;
  });
}

class Levers {
  // `moved(weights)` is told of every drag; `cross(position, masked)` of a click on ×.
  constructor(root, moved, cross) {
    Object.assign(this, { root, moved, cross });
  }

  load(labels, end) {
    this.bars = labels.map((label, position) => {
      const bar = make("div", "bar"), [value, well, fill] = [make("output"), make("div", "well"), make("div", "level")];
      const name = make("span", "name", position === end ? "end mark" : printable(label));
      name.dir = "auto";
      const cross = Object.assign(make("button", "cross-out", "×"), { type: "button" });
      cross.onclick = () => this.cross(position, this.masked.includes(position));
      well.append(fill);
      Object.assign(well, { tabIndex: 0 });
      well.setAttribute("role", "slider");
      well.setAttribute("aria-label", `weight of ${name.textContent}`);
      well.setAttribute("aria-valuemin", "0");
      well.setAttribute("aria-valuemax", "1");
      well.onpointerdown = (event) => {
        well.setPointerCapture(event.pointerId);
        this.drag(position, event, well);
      };
      well.onpointermove = (event) => well.hasPointerCapture(event.pointerId) && this.drag(position, event, well);
      well.onkeydown = (event) => {
        const change = { ArrowUp: 0.05, ArrowDown: -0.05, PageUp: 0.25, PageDown: -0.25 }[event.key];
        if (event.key === "Home" || event.key === "End") this.set(position, event.key === "End" ? 1 : 0);
        else if (change) this.set(position, this.weights[position] + change);
        else return;
        event.preventDefault();
      };
      bar.append(value, well, name, cross);
      return { bar, value, well, fill, cross, name };
    });
    this.root.replaceChildren(...this.bars.map(({ bar }) => bar));
  }

  drag(position, event, well) {
    const { top, height } = well.getBoundingClientRect();
    this.set(position, 1 - (event.clientY - top) / height);
  }

  set(position, value) {
    if (this.masked.includes(position)) return;
    this.show(withWeight(this.weights, position, Math.max(0, Math.min(1, value)), this.masked), this.masked);
    this.moved(this.weights);
  }

  // `drops`: what erasing each position costs this step's word, in nats, where that is known.
  show(weights, masked, drops = this.drops) {
    Object.assign(this, { weights: Array.from(weights), masked, drops });
    this.bars.forEach(({ bar, value, well, fill, cross, name }, position) => {
      const weight = this.weights[position], crossed = masked.includes(position);
      fill.style.height = `${100 * weight}%`;
      value.textContent = weight >= 0.005 ? weight.toFixed(2) : "";
      bar.title = `weight ${weight.toFixed(3)}${drops ? `; erasing it changes ln p of this step’s word by ${signed(-drops[position])}` : ""}`;
      well.setAttribute("aria-valuenow", weight.toFixed(3));
      bar.classList.toggle("crossed", crossed);
      cross.setAttribute("aria-label", crossed ? `Allow ${name.textContent} again` : `Cross out ${name.textContent} from here on`);
      cross.textContent = crossed ? "+" : "×";
    });
  }
}
