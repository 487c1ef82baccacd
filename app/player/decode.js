// The payload: base64 becomes typed arrays, labels become printable.

function bytesOf(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes;
}

// Makes one trace of the payload ready to show. Typed arrays use the machine's byte order, which is little-endian
// on every machine that runs a browser today, as is the payload's.
function readTrace(raw) {
  const sources = raw.source.length, targets = raw.target.length;
  const scaled = new Uint16Array(bytesOf(raw.weights).buffer);
  const trace = {
    ...raw, sources, targets,
    sourceLabels: raw.source.map((text, s) => (s === raw.source_end ? "end mark" : printable(text))),
    targetLabels: raw.target.map((text, t) => (t === raw.target_end ? "end mark" : printable(text))),
    weights: Float32Array.from(scaled, (value) => value / 65535),
    energies: new Float32Array(bytesOf(raw.energies).buffer),
    contexts: new Int8Array(bytesOf(raw.contexts).buffer),
  };
  if (trace.weights.length !== sources * targets)
    throw new Error(`expected ${targets} x ${sources} weights, got ${trace.weights.length}`);
  return trace;
}

// The weights of one target word over the source: a view, not a copy.
const rowOf = (trace, t) => trace.weights.subarray(t * trace.sources, (t + 1) * trace.sources);

// The weights that one source word got from each target word.
const columnOf = (trace, s) => Float32Array.from({ length: trace.targets }, (_, t) => trace.weights[t * trace.sources + s]);

// The weights between two steps, for a slider or a playback that stands between them.
function blendedRow(trace, position) {
  const t = Math.floor(position), share = position - t;
  const here = rowOf(trace, t);
  if (share === 0) return here;
  const next = rowOf(trace, t + 1);
  return here.map((weight, s) => weight * (1 - share) + next[s] * share);
}

// The indices of the `count` largest values, largest first.
function largest(values, count) {
  const order = Array.from(values.keys()).filter((i) => Number.isFinite(values[i]));
  return order.sort((a, b) => values[b] - values[a] || a - b).slice(0, count);
}

const NAMED = { "\n": "⏎", "\r": "␍", "\t": "⇥" };
const codeOf = (char) => "U+" + char.codePointAt(0).toString(16).toUpperCase().padStart(4, "0");

// Shows what would otherwise be invisible: control characters, direction overrides, labels of spaces only.
// Joiners inside a word stay, for Persian, Hindi and emoji need them.
function printable(label) {
  if (label === "") return "(empty)";
  if (/^\p{Zs}+$/u.test(label)) return "␣".repeat(label.length);
  if (/^[\u00AD\u034F\u200B-\u200F\u2060-\u2064\uFEFF\uFE00-\uFE0F]+$/.test(label)) return [...label].map(codeOf).join(" ");
  return label.replace(/[\u0000-\u001F\u007F-\u009F\u2028-\u202E\u2066-\u2069]/g, (char) => NAMED[char] ?? codeOf(char));
}

// Two decimals; a small weight is not called zero.
const short = (value) => (value > 0 && value < 0.005 ? "<0.01" : value.toFixed(2));
const signed = (value, digits = 2) => value.toFixed(digits).replace("-", "−");
const exact = (value) => (value > 0 && value < 0.0005 ? "<0.001" : value.toFixed(3));

// Whether a line reads from right to left, by its first letter with a direction.
function directionOf(labels) {
  const letter = labels.join(" ").match(/\p{L}/u);
  return letter && /[\u0590-\u08FF\uFB1D-\uFDFF\uFE70-\uFEFF]/.test(letter[0]) ? "rtl" : "ltr";
}

// A new element with a class and text; the only way in which this component writes text.
function make(tag, className = "", text = "") {
  const element = document.createElement(tag);
  element.className = className;
  element.textContent = text;
  return element;
}
