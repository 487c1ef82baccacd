// What else the decoder considered: a bar for each token.

// A list for each piece of a word, since each was a step of its own.
const alternativesOf = (pieces) => pieces.map((piece) => groupOf(piece, pieces.length > 1));

// What the decoder weighed up for one piece; the one that it took is marked, and added if it is not in the list.
function groupOf(piece, named) {
  const group = make("div", "group");
  if (named) group.append(make("div", "piece", printable(piece.token)));
  const list = make("ul");
  const others = piece.alternatives;
  const listed = others.some(([token]) => token === piece.token);
  const rows = listed ? others : [...others, [piece.token, piece.probability]];
  list.append(...rows.map(([token, probability]) => alternative(token, probability, token === piece.token)));
  group.append(list);
  return group;
}

function alternative(token, probability, chosen) {
  const row = make("li", chosen ? "alternative chosen" : "alternative");
  const label = make("span", "token", printable(token));
  label.dir = "auto";
  const track = make("span", "track"), bar = make("span", "fill");
  bar.style.transform = `scaleX(${Math.max(0, Math.min(1, probability))})`;
  track.append(bar);
  row.append(label, track, make("span", "number", exact(probability)));
  return row;
}
