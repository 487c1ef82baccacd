// The sentences of the text, one below the other. One of them holds the open view; the others are a button each.

class Sentences {
  constructor(list, view) {
    Object.assign(this, { list, view });
  }

  load(traces, choose) {
    this.list.before(this.view);  // out of the list, before that is replaced
    this.list.hidden = traces.length < 2;
    this.items = traces.length < 2 ? [] : traces.map((trace, i) => this.item(trace, i, choose));
    this.list.replaceChildren(...this.items);
  }

  item(trace, index, choose) {
    const item = make("li"), button = make("button", "pair");
    const line = (name, text) => Object.assign(make("span", name, text), { dir: "auto" });
    button.append(make("span", "number", String(index + 1)), line("text", trace.text), line("translation", trace.translation));
    const notes = trace.notes.length;
    if (notes) button.append(make("span", "flag", notes === 1 ? "1 note" : `${notes} notes`));
    Object.assign(button, { type: "button", onclick: () => choose(index) });
    item.append(button);
    return item;
  }

  // Puts the open view into a sentence. Moving an element takes its focus away, so it is given back.
  moveTo(index) {
    if (!this.items.length) return;
    const focused = this.list.getRootNode().activeElement;
    this.list.querySelector(":scope > .active")?.classList.remove("active");
    this.items[index].classList.add("active");
    this.items[index].append(this.view);
    if (focused && this.view.contains(focused)) focused.focus({ preventScroll: true });
  }

  // Keeps the view where it is on the screen while it moves down the page; unless nobody is looking at it.
  holdStill(move) {
    const before = this.view.getBoundingClientRect();
    move();
    if (before.bottom < 0 || before.top > window.innerHeight) return;
    scrollerOf(this.list).scrollTop += this.view.getBoundingClientRect().top - before.top;
  }
}

// The element that scrolls the page round another one, also out of a shadow root.
function scrollerOf(element) {
  for (let at = element; at; at = at.parentElement ?? at.getRootNode().host)
    if (/auto|scroll/.test(getComputedStyle(at).overflowY) && at.scrollHeight > at.clientHeight) return at;
  return document.scrollingElement;
}
