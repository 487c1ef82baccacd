// The clock of the playback. It rests on every word and then glides to the next, so that a word can be read.

const STEP_MS = 900;  // at normal speed
const HOLD = 0.55;  // the share of a step during which the picture rests

const reduceMotion = matchMedia("(prefers-reduced-motion: reduce)");

// From the time in steps to the position that is shown.
function positionAt(time, last) {
  const step = Math.floor(time), share = time - step;
  if (reduceMotion.matches || share <= HOLD || step >= last) return Math.min(step, last);
  const glide = (share - HOLD) / (1 - HOLD);
  return step + glide * glide * (3 - 2 * glide);
}

class Playback {
  // `show(position)` is called every frame; `finished()` after the last step, and returns whether to go on.
  constructor(show, finished) {
    Object.assign(this, { show, finished, speed: 1, frame: 0 });
  }

  get playing() {
    return this.frame !== 0;
  }

  start(position, last) {
    this.stop();
    Object.assign(this, { time: position, last, before: null });
    window.__attnvizFrames = [];  // for the test of the frame rate
    this.frame = requestAnimationFrame(this.tick);
  }

  // Goes on with another sentence without a break.
  restart(last) {
    Object.assign(this, { time: 0, last });
  }

  tick = (now) => {
    if (this.before !== null) {
      const passed = now - this.before;
      window.__attnvizFrames.push(passed);
      // A hidden tab gets no frames: do not leap over what was missed.
      this.time += (Math.min(passed, 250) / STEP_MS) * this.speed;
    }
    this.before = now;
    this.frame = requestAnimationFrame(this.tick);
    if (this.time < this.last + 1) this.show(positionAt(this.time, this.last));
    else if (!this.finished()) this.stop();
  };

  stop() {
    cancelAnimationFrame(this.frame);
    this.frame = 0;
  }
}
