// The weights now less the weights before, for the steps that wrote the same token: blue less, orange more, background same.

const CHANGE_CELL = 15, WIDEST_CHANGE = 46, NAMED_FROM = 20;  // pixels

function drawChanges(canvas, data, now, before, theme, width) {
  const rows = data.steps.map((step, t) => [step, t]).filter(([step]) => step.before !== null);
  const { positions } = data;
  const differences = rows.map(([step, t]) => {
    const mine = now.subarray(t * positions, (t + 1) * positions), other = before.subarray(step.before * positions, (step.before + 1) * positions);
    return mine.map((weight, s) => weight - other[s]);
  });
  const most = differences.reduce((reach, row) => Math.max(reach, reachOf(row)), 0);
  const changed = rows.map((row, i) => [row, differences[i]]).filter(([, row]) => reachOf(row) > 0.005);
  canvas.hidden = !changed.length;
  if (!changed.length) return { most, rows: 0 };
  const label = 110, cell = Math.max(1, Math.min(WIDEST_CHANGE, (width - label - 4) / positions));
  const named = data.source.length && cell >= NAMED_FROM, top = named ? 18 : 1;
  const pen = penOf(canvas, width, top + changed.length * CHANGE_CELL + 2);
  pen.font = `11px ${theme.font}`;
  pen.textBaseline = "middle";
  changed.forEach(([[step, t], row], y) => {
    pen.fillStyle = css(theme.quiet);
    pen.textAlign = "right";
    pen.fillText(`${tokenOf(step.token, data.end).slice(0, 14)}  ${t + 1}`, label - 8, top + (y + 0.5) * CHANGE_CELL);
    row.forEach((value, s) => {
      pen.fillStyle = css(theme.diverging[Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, value / most)))]);
      pen.fillRect(label + s * cell, top + y * CHANGE_CELL, Math.max(0.5, cell - (cell > 4 ? 1 : 0)), CHANGE_CELL - 1);
    });
  });
  pen.strokeStyle = css(theme.line);
  pen.strokeRect(label - 0.5, top - 0.5, positions * cell, changed.length * CHANGE_CELL);
  if (named) nameColumns(pen, data, label, cell, theme);
  return { most, rows: changed.length };
}

function nameColumns(pen, data, left, cell, theme) {
  pen.fillStyle = css(theme.quiet);
  pen.textAlign = "center";
  data.source.forEach((token, s) => {
    const text = s === data.source_end ? "end" : printable(token);
    pen.fillText(text.slice(0, Math.max(1, Math.floor(cell / 7))), left + (s + 0.5) * cell, 8);
  });
}

const reachOf = (values) => values.reduce((reach, value) => Math.max(reach, Math.abs(value)), 0);
