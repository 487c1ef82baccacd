// The weights now less the weights before, for the steps that wrote the same token: blue less, orange more, background same.

const CHANGE_CELL = 15;  // pixels

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
  const label = 110, cell = Math.max(1, Math.min(CHANGE_CELL * 1.6, (width - label - 4) / positions));
  const pen = penOf(canvas, width, changed.length * CHANGE_CELL + 2);
  pen.font = `11px ${theme.font}`;
  pen.textBaseline = "middle";
  changed.forEach(([[step, t], row], y) => {
    pen.fillStyle = css(theme.quiet);
    pen.textAlign = "right";
    pen.fillText(`${tokenOf(step.token, data.end).slice(0, 14)}  ${t + 1}`, label - 8, (y + 0.5) * CHANGE_CELL);
    row.forEach((value, s) => {
      pen.fillStyle = css(theme.diverging[Math.round(127.5 + 127.5 * Math.max(-1, Math.min(1, value / most)))]);
      pen.fillRect(label + s * cell, y * CHANGE_CELL, Math.max(0.5, cell - (cell > 4 ? 1 : 0)), CHANGE_CELL - 1);
    });
  });
  pen.strokeStyle = css(theme.line);
  pen.strokeRect(label - 0.5, 0.5, positions * cell, changed.length * CHANGE_CELL);
  return { most, rows: changed.length };
}

const reachOf = (values) => values.reduce((reach, value) => Math.max(reach, Math.abs(value)), 0);
