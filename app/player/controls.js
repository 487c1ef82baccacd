// The row of controls: play, step, slider, speed, and saving the picture. `player` is told what was asked for.

class Controls {
  constructor(root, player) {
    const part = (name) => root.querySelector(".controls ." + name);
    for (const name of ["back", "play", "forward", "seek", "counter", "speed", "save"]) this[name] = part(name);
    this.play.onclick = () => player.togglePlay();
    this.back.onclick = () => player.stepBy(-1);
    this.forward.onclick = () => player.stepBy(1);
    this.speed.onchange = (event) => (player.playback.speed = Number(event.target.value));
    this.listenToSlider(player);
    this.listenToSaving(player);
  }

  listenToSlider(player) {
    this.dragging = false;
    this.seek.oninput = () => {
      this.dragging = true;
      player.seek(this.seek.valueAsNumber);
    };
    const settle = () => {
      if (!this.dragging) return;
      this.dragging = false;
      player.seek(Math.round(this.seek.valueAsNumber));
    };
    // A drag that ends where it began makes no change event.
    Object.assign(this.seek, { onchange: settle, onpointerup: settle, onpointercancel: settle });
  }

  listenToSaving(player) {
    this.save.onclick = (event) => {
      const format = event.target.value;
      if (!format) return;
      player.save(format);
      this.closeSaving();
    };
    player.on(this.save, "focusout", (event) => this.save.contains(event.relatedTarget) || this.closeSaving());
  }

  closeSaving() {
    this.save.open = false;
  }

  load(trace) {
    Object.assign(this, { trace, shown: "", done: "", dragging: false });
    Object.assign(this.seek, { max: trace.targets - 1, disabled: trace.targets === 1 });
  }

  show(position, playing) {
    const { trace } = this, step = Math.round(position);
    this.showSlider(position);
    const shown = `${step} ${playing}`;
    if (shown === this.shown) return;
    this.shown = shown;
    this.counter.textContent = `${step + 1} / ${trace.targets}`;
    this.seek.setAttribute("aria-valuetext", `step ${step + 1} of ${trace.targets}: ${trace.targetLabels[step]}`);
    this.play.classList.toggle("playing", playing);
    this.play.querySelector("span").textContent = playing ? "Pause" : "Play";
    this.back.disabled = step === 0;
    this.forward.disabled = step === trace.targets - 1;
  }

  showSlider(position) {
    if (!this.dragging) this.seek.value = position;
    const done = `${(100 * position) / Math.max(1, this.trace.targets - 1)}%`;
    if (done === this.done) return;
    this.done = done;
    this.seek.style.setProperty("--done", done);
  }
}
