// What the words of the headline rest on. A flag is an underline and a sign, never colour alone, and a sentence says why.

const SIGNS = { unsupported: "?", leans: "≈" };
const LISTED = 12;  // words in one sentence

// A line of words whose flags stay with them, also where a long line shows a window of its words.
class Headline extends WordLine {
  load(trace) {
    this.support = trace.support;
    super.load(trace.targetLabels, trace.target_glue, trace.target_end);
  }

  chip(index) {
    const chip = super.chip(index), kind = this.support[index]?.kind;
    if (!SIGNS[kind]) return chip;
    chip.element.classList.add(kind);
    const sign = make("span", "sign", SIGNS[kind]);
    sign.setAttribute("aria-hidden", "true");
    chip.element.append(sign);
    chip.element.setAttribute("aria-description", kind === "leans" ? "not in the text, leans on a place" : "unsupported");
    return chip;
  }
}

const nowhere = (trace) => (trace.unread ? "nowhere in the part that was read" : "nowhere in the text");

// The sentence for one word; null for a word of the text, and for a sign.
function restOf(trace, target) {
  const { kind, weight, source } = trace.support[target] ?? {};
  const place = () => [word(trace.sourceLabels[source]), ` (${short(weight)})`];
  if (kind === "unsupported")
    return [`stands ${nowhere(trace)}, and no word of it got a fifth of the weight; most went to `, ...place(), "."];
  if (kind === "leans") return [`stands ${nowhere(trace)}, but leans on `, ...place(), "."];
  if (kind === "found") return [trace.unread ? "stands in the part that was read." : "stands in the text."];
  return null;
}

// All flagged words: a line for each kind.
function restsOf(trace) {
  return Object.keys(SIGNS).flatMap((kind) => {
    const words = trace.support.flatMap((found, t) => (found?.kind === kind ? [t] : []));
    return words.length ? [restLine(trace, kind, words)] : [];
  });
}

function restLine(trace, kind, targets) {
  const line = make("li", kind), one = targets.length === 1;
  const sign = make("span", "sign", SIGNS[kind]);
  sign.setAttribute("aria-hidden", "true");
  const named = targets.slice(0, LISTED).map((t) => [word(trace.targetLabels[t]), ...(kind === "leans" ? leaning(trace, t) : [])]);
  const names = named.flatMap((parts, i) => (i ? [", ", ...parts] : parts));
  const more = targets.length > LISTED ? [` and ${targets.length - LISTED} more`] : [];
  const why = kind === "leans"
    ? ` ${one ? "stands" : "stand"} ${nowhere(trace)}, but ${one ? "leans" : "lean"} on a place in it.`
    : ` ${one ? "stands" : "stand"} ${nowhere(trace)}, and no word of it got a fifth of the weight: unsupported.`;
  const said = make("span");
  said.append(...names, ...more, why);
  line.append(sign, said);
  return line;
}

const leaning = (trace, t) => [" (on ", word(trace.sourceLabels[trace.support[t].source]), ` ${short(trace.support[t].weight)})`];
