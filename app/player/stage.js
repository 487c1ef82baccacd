// What every view that plays has in common: a position that moves, a pointer that previews, a click that locks.
//
// `position` is where the decoder stands, fractional while it moves. `pointed` is what is under the pointer, a preview.
// `lock` is what was clicked; it goes before both until it is released. Pointed and locked are {target, source}, with
// null for the side that is not meant. A subclass renders, has a `trace`, and says what keys do (`actionOf`).

const same = (a, b) => a?.target === b?.target && a?.source === b?.source;

class Stage {
  constructor(root) {
    Object.assign(this, { root, position: 0, pointed: null, lock: null, listening: new AbortController() });
    this.playback = new Playback((position) => this.moveTo(position), () => this.goOn());
  }

  // For events that have no property to assign to.
  on(element, type, react) {
    element.addEventListener(type, react, { signal: this.listening.signal });
  }

  unmount() {
    this.playback.stop();
    this.listening.abort();
    this.observer?.disconnect();
  }

  // After the last word. Returns whether the playback goes on.
  goOn() {
    this.playback.stop();
    this.moveTo(this.trace.targets - 1);
    return false;
  }

  shownStep() {
    return (this.lock ?? this.pointed)?.target ?? Math.round(this.position);
  }

  // ---- moving

  moveTo(position) {
    const last = this.trace.targets - 1;
    this.position = Math.max(0, Math.min(last, reduceMotion.matches ? Math.round(position) : position));
    this.render();
  }

  // A move that the user asked for: the decoder goes there, and what was locked or pointed at no longer counts.
  seek(position) {
    this.playback.stop();
    Object.assign(this, { lock: null, pointed: null });
    this.moveTo(position);
  }

  stepBy(count) {
    this.seek(Math.round(this.position) + count);
  }

  togglePlay() {
    if (this.playback.playing) return this.pause();
    Object.assign(this, { lock: null, pointed: null });
    const last = this.trace.targets - 1, start = Math.round(this.position);
    this.playback.start(start >= last ? 0 : start, last);
    this.render();
  }

  pause() {
    if (!this.playback.playing) return;
    this.playback.stop();
    this.moveTo(Math.round(this.position));
  }

  // ---- pointer and keys

  // Pointing previews, a click locks. A word that comes under a resting pointer does not count: only a pointer that
  // has really moved points.
  follow(element, find, lockable) {
    element.onpointermove = (event) => {
      const resting = event.clientX === this.pointerX && event.clientY === this.pointerY;
      [this.pointerX, this.pointerY] = [event.clientX, event.clientY];
      if (!resting) this.point(find(event));
    };
    element.onpointerleave = () => this.point(null);
    if (lockable) element.onclick = (event) => this.toggleLock(find(event));
  }

  point(found) {
    if (this.playback.playing || same(found, this.pointed)) return;
    this.pointed = found;
    this.render();
  }

  toggleLock(found) {
    if (!found) return;
    this.pause();
    this.lock = same(found, this.lock) ? null : found;
    if (this.lock && this.lock.target !== null) this.position = this.lock.target;
    this.render();
  }

  releaseLock() {
    Object.assign(this, { lock: null, pointed: null });
    this.render();
  }

  onKey(event) {
    if (event.ctrlKey || event.altKey || event.metaKey || event.target.matches("select")) return;
    const act = this.actionOf(event);
    if (!act) return;
    event.preventDefault();
    act();
  }
}

// Keeps one view for each place that the component stands in.
function mount(views, View, { parentElement, data }) {
  const root = parentElement.querySelector(".player");
  if (views.get(parentElement)?.root !== root) {
    views.get(parentElement)?.unmount();
    views.set(parentElement, new View(root));
  }
  const view = views.get(parentElement);
  if (view.data?.id !== data.id) view.load(data);
  else view.layOut();  // the theme has changed
  return () => {
    view.unmount();
    views.delete(parentElement);
  };
}
