// The small maps: one for each word, drawn when the settings change and not at each frame.

const MAP_SIDE = 132;  // CSS pixels at most

class Maps {
  constructor(holder) {
    this.holder = holder;
  }

  load(trace, photo, choose) {
    const scale = Math.min(MAP_SIDE / trace.width, MAP_SIDE / trace.height);
    const [width, height] = [trace.width, trace.height].map((side) => Math.max(1, Math.round(side * scale)));
    this.trace = trace;
    this.now = -1;
    this.items = trace.targetLabels.map((label, t) => {
      const button = make("button", t === trace.target_end ? "map end" : "map");
      const canvas = make("canvas");
      button.append(canvas, make("span", "label", label));
      Object.assign(button, { type: "button", onclick: () => choose(t) });
      button.setAttribute("aria-label", `Word ${t + 1}: ${label}`);
      return { button, heat: new Heat(trace, photo, canvas, width, height, window.devicePixelRatio || 1) };
    });
    this.holder.replaceChildren(...this.items.map((item) => item.button));
  }

  draw(topOf, looks) {
    this.items.forEach(({ heat }, t) => heat.draw(this.trace.mapOf(t), topOf(t), looks));
  }

  mark(step) {
    if (step === this.now) return;
    this.items[this.now]?.button.classList.remove("now");
    this.items[this.now]?.button.removeAttribute("aria-current");
    this.items[step].button.classList.add("now");
    this.items[step].button.setAttribute("aria-current", "true");
    this.now = step;
  }
}
