// The text as it was pasted, with heat behind its words. The page is built once for a trace; a step changes nothing but
// the colours of those words whose weight has changed.

const FOLDED_FROM = 900;  // characters that were not read; more of them are folded away

class Prose {
  constructor(holder, rest) {
    Object.assign(this, { holder, rest });
  }

  load(trace) {
    this.words = new Array(trace.sources);
    this.marked = { probed: -1, sentence: -1 };
    this.sentences = trace.sentences.map((parts, i, { length }) => this.sentence(parts, i, length > 1));
    this.holder.replaceChildren(make("span", "gap", trace.before), ...this.sentences, make("span", "gap", trace.after));
    this.showUnread(trace.unread);
  }

  sentence(parts, index, numbered) {
    const element = make("span", "sentence");
    if (numbered) element.dataset.number = index + 1;
    element.append(...parts.map(([text, source]) => (source < 0 ? text : this.word(text, source))));
    return element;
  }

  word(text, source) {
    const element = make("span", "w", text);
    element.dataset.source = source;
    this.words[source] = { element, level: 0 };
    return element;
  }

  // What the model did not read, after a mark that says so.
  showUnread(text) {
    this.rest.hidden = !text;
    this.rest.querySelector(".unread").textContent = text;
    const more = this.rest.querySelector(".unfold"), long = [...text.slice(0, FOLDED_FROM + 1)].length > FOLDED_FROM;
    this.rest.classList.toggle("folded", long);
    more.hidden = !long;
    more.textContent = "Show all that was not read";
    more.onclick = () => {
      this.rest.classList.remove("folded");
      more.hidden = true;
    };
  }

  shade(weights, top, theme) {
    this.words.forEach((word, source) => {
      const level = levelOf(weights[source], top);
      if (level === word.level) return;
      word.level = level;
      word.element.style.backgroundColor = level ? theme.fills[level] : "";
      word.element.style.color = level ? theme.inks[level] : "";
    });
  }

  // Colours everything anew, after a change of theme.
  repaint() {
    for (const word of this.words) word.level = -1;
  }

  mark(probed, sentence) {
    const { marked, words, sentences } = this;
    if (probed !== marked.probed) {
      words[marked.probed]?.element.classList.remove("probed");
      words[probed]?.element.classList.add("probed");
    }
    if (sentence !== marked.sentence) {
      sentences[marked.sentence]?.classList.remove("meant");
      sentences[sentence]?.classList.add("meant");
    }
    this.marked = { probed, sentence };
  }

  // Brings a word that the keys have reached onto the screen.
  reveal(source) {
    this.words[source].element.scrollIntoView({ block: "nearest" });
  }
}
