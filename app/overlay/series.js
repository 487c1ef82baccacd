// Numbers over the words, from 0 to 1: the gate as bars, the weight inside the box as a line.

const SERIES = { height: 178, top: 12, base: 108, side: 26 };

class Series {
  constructor(canvas) {
    this.canvas = canvas;
  }

  load(trace, theme, width) {
    Object.assign(this, { trace, theme, width, drawn: "" });
    this.slot = (width - SERIES.side - 8) / trace.targets;
  }

  middle(t) {
    return SERIES.side + (t + 0.5) * this.slot;
  }

  draw(step, inside) {
    const drawn = `${step} ${inside?.join()}`;
    if (drawn === this.drawn) return;
    this.drawn = drawn;
    const { trace, theme } = this, pen = penOf(this.canvas, this.width, SERIES.height);
    pen.font = `11px ${theme.font}`;
    pen.textBaseline = "middle";
    pen.fillStyle = css(theme.faint);
    pen.fillRect(this.middle(step) - this.slot / 2, 0, this.slot, SERIES.height);
    this.axis(pen);
    if (trace.gate) this.bars(pen, trace.gate, step);
    if (inside) this.line(pen, inside, step);
    this.names(pen, step);
    this.canvas.setAttribute("aria-label", this.described(inside));
  }

  y(value) {
    return SERIES.base - value * (SERIES.base - SERIES.top);
  }

  axis(pen) {
    pen.textAlign = "right";
    for (const value of [0, 0.5, 1]) {
      pen.fillStyle = css(value ? this.theme.faint : this.theme.line);
      pen.fillRect(SERIES.side, Math.round(this.y(value)), this.width - SERIES.side - 8, 1);
      pen.fillStyle = css(this.theme.quiet);
      pen.fillText(String(value), SERIES.side - 6, this.y(value));
    }
  }

  bars(pen, values, step) {
    const width = Math.max(1, Math.min(22, this.slot * 0.6));
    values.forEach((value, t) => {
      pen.globalAlpha = t === step ? 0.75 : 0.4;
      pen.fillStyle = css(this.theme.quiet);
      pen.fillRect(this.middle(t) - width / 2, this.y(value), width, SERIES.base - this.y(value));
    });
    pen.globalAlpha = 1;
  }

  line(pen, values, step) {
    Object.assign(pen, { strokeStyle: css(this.theme.primary), fillStyle: css(this.theme.primary), lineWidth: 2 });
    pen.beginPath();
    values.forEach((value, t) => pen.lineTo(this.middle(t), this.y(value)));
    pen.stroke();
    values.forEach((value, t) => {
      pen.beginPath();
      pen.arc(this.middle(t), this.y(value), t === step ? 4.5 : 2.5, 0, 2 * Math.PI);
      pen.fill();
    });
  }

  // All words if there is room, else every second, third ...; the current one always.
  names(pen, step) {
    const every = Math.ceil(13 / this.slot);
    this.trace.targetLabels.forEach((label, t) => {
      if (t !== step && (t % every || Math.abs(t - step) < every)) return;
      pen.save();
      pen.fillStyle = css(t === step ? this.theme.text : this.theme.quiet);
      pen.textAlign = "right";
      pen.translate(this.middle(t) + 3, SERIES.base + 10);
      pen.rotate(-0.9);
      pen.fillText(label.length > 11 ? `${label.slice(0, 10)}…` : label, 0, 0);
      pen.restore();
    });
  }

  described(inside) {
    const of = (name, values) => (values ? `${name}: ${values.map((value, t) => `${this.trace.targetLabels[t]} ${short(value)}`).join(", ")}. ` : "");
    return of("Gate", this.trace.gate) + of("Weight inside the box", inside) || "No gate, and no box is drawn.";
  }

  // The word under the pointer, or null.
  wordAt(event) {
    const t = Math.floor((event.offsetX - SERIES.side) / this.slot);
    return t >= 0 && t < this.trace.targets ? t : null;
  }
}
