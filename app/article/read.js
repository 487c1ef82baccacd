// The payload made ready to show, and the sums that are shown of it. Sums are of the weights as the package gives
// them: a word's weight is that of all its pieces, and the weight on the end mark is told, never spread.

function readArticle(raw) {
  const trace = readTrace(raw);
  trace.sentenceOf = new Int32Array(trace.sources);
  raw.sentences.forEach((parts, i) => parts.forEach(([, source]) => source >= 0 && (trace.sentenceOf[source] = i)));
  trace.openings = raw.sentences.map((parts) => parts.map(([text]) => text).join("").replace(/\s+/g, " ").trim());
  trace.coverage = Float64Array.from(raw.coverage);
  return trace;
}

// The weight on each sentence: the sum over its words.
function bySentence(trace, weights) {
  const sums = new Float64Array(trace.sentences.length);
  weights.forEach((weight, source) => (sums[trace.sentenceOf[source]] += weight));
  return sums;
}

// The mean over all words of the headline, so that sentences and end mark still make 1.
function meanOf(trace) {
  const mean = (values) => values.reduce((sum, value) => sum + value, 0) / trace.targets;
  return {
    sentences: bySentence(trace, trace.coverage).map((sum) => sum / trace.targets),
    end: mean(trace.end_mass),
  };
}

// The top of the scale of the coverage: 1, or more where a word got more.
const coverageTop = (trace) => trace.coverage.reduce((top, value) => Math.max(top, value), 1);
