// The payload as typed arrays, and what is worked out from it here: weights at a temperature, and the context.

const floats = (base64) => new Float32Array(bytesOf(base64).buffer);

function readNumbers(raw) {
  const sources = raw.source.length, targets = raw.target.length;
  const numbers = {
    ...raw, sources, targets,
    sourceLabels: raw.source.map((text, s) => (s === raw.source_end ? "end mark" : printable(text))),
    targetLabels: raw.target.map((text, t) => (t === raw.target_end ? "end mark" : printable(text))),
    vector: raw.energy_vector && floats(raw.energy_vector),
    outcomes: raw.outcomes.map((outcome) => ({ ...outcome, states: floats(outcome.states) })),
  };
  for (const name of ["annotations", "queries", "keys", "projected", "energies"]) numbers[name] = floats(raw[name]);
  if (numbers.energies.length !== sources * targets)
    throw new Error(`expected ${targets} x ${sources} energies, got ${numbers.energies.length}`);
  return numbers;
}

const rowAt = (values, index, width) => values.subarray(index * width, (index + 1) * width);

// alpha_i = exp(u_i / temperature) / sum_j exp(u_j / temperature), in double precision.
function softmax(energies, temperature) {
  const scaled = Array.from(energies, (energy) => energy / temperature);
  const highest = Math.max(...scaled);
  const powers = scaled.map((value) => Math.exp(value - highest));
  const total = powers.reduce((sum, value) => sum + value, 0);
  return powers.map((value) => value / total);
}

// c = sum_i alpha_i h_i
function contextOf(weights, annotations, width) {
  const context = new Float64Array(width);
  weights.forEach((weight, i) => rowAt(annotations, i, width).forEach((value, d) => (context[d] += weight * value)));
  return context;
}

const lengthOf = (vector) => Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0));

// What stands between an annotation's key and a query's projection and their energy, in the order of the formula.
// Each part: [symbol, name, values]; the last one is summed, and `divisor` divides the sum.
function energyParts(numbers, step, source) {
  const width = numbers.widths.key, { mechanism } = numbers;
  const key = rowAt(numbers.keys, source, width), projected = rowAt(numbers.projected, step, width);
  if (mechanism === "additive") {
    const hidden = key.map((value, a) => Math.tanh(value + projected[a]));
    return {
      parts: [
        ["key", "W₁ h", key], ["projected", "W₂ z + b", projected], ["hidden", "tanh of their sum", hidden], ["vector", "v", numbers.vector],
        ["product", "v times tanh", hidden.map((value, a) => value * numbers.vector[a])],
      ],
      divisor: 1,
    };
  }
  const names = { bilinear: ["h W", "z"], dot: ["h", "z"], cosine: ["h at length 1", "z at length 1"] }[mechanism];
  return {
    parts: [
      ["key", names[0], key], [mechanism === "cosine" ? "projected" : "query", names[1], projected],
      ["product", "their product", key.map((value, a) => value * projected[a])],
    ],
    divisor: numbers.temperature ?? 1,
  };
}
