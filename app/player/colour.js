// The theme's colours as numbers, and the ramps that are made from them.

const LEVELS = 256;
// Used where the theme's own ramp is missing or does not run from dark to light.
const BLUES = ["#e4f5ff", "#c7ebff", "#a6dcff", "#83c9ff", "#60b4ff", "#3d9df3", "#1c83e1", "#0068c9", "#0054a3", "#004280"];

// Turns a CSS colour in any notation into [r, g, b], by painting a pixel with it.
function rgb(text) {
  const canvas = Object.assign(document.createElement("canvas"), { width: 1, height: 1 });
  const pen = canvas.getContext("2d", { willReadFrequently: true });
  pen.fillStyle = text;
  pen.fillRect(0, 0, 1, 1);
  return Array.from(pen.getImageData(0, 0, 1, 1).data.subarray(0, 3));
}

const css = (colour) => "#" + colour.map((value) => value.toString(16).padStart(2, "0")).join("");
const mix = (low, high, share) => low.map((value, i) => Math.round(value + (high[i] - value) * share));

function luminance(colour) {
  const [r, g, b] = colour.map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

// CIE L*: how light a colour looks, 0 to 100.
function lightness(colour) {
  const y = luminance(colour);
  return y <= 0.008856 ? 903.3 * y : 116 * Math.cbrt(y) - 16;
}

function contrast(a, b) {
  const [low, high] = [luminance(a), luminance(b)].sort((x, y) => x - y);
  return (high + 0.05) / (low + 0.05);
}

// Colours from the page's background to the strongest one, such that equal steps in weight look equally large:
// each stop of the ramp lies where its lightness says.
function sequential(background, stops) {
  const start = lightness(background);
  const away = (colour) => Math.abs(lightness(colour) - start);
  const anchors = [background, ...stops.sort((a, b) => away(a) - away(b))];
  const end = away(anchors.at(-1));
  return Array.from({ length: LEVELS }, (_, level) => {
    const goal = (level / (LEVELS - 1)) * end;
    const upper = Math.max(1, anchors.findIndex((colour, i) => i > 0 && away(colour) >= goal));
    const low = anchors[upper - 1], high = anchors[upper];
    const span = away(high) - away(low);
    return mix(low, high, span ? (goal - away(low)) / span : 1);
  });
}

// The theme's ramp if it can be ordered by lightness on one side of the background, else the blues.
function stopsOf(list, background) {
  const start = lightness(background);
  const usable = (stops) => stops.length > 2 && new Set(stops.map((colour) => Math.sign(lightness(colour) - start))).size === 1
    && Math.max(...stops.map((colour) => Math.abs(lightness(colour) - start))) > 50;
  const own = list.split(/,(?![^(]*\))/).filter((text) => text.trim()).map(rgb);
  if (usable(own)) return own;
  const blues = BLUES.map(rgb);
  return usable(blues) ? blues : [start > 50 ? [0, 66, 128] : [228, 245, 255]];
}

// Blue for negative, orange for positive, the background for zero: told apart by the colour-blind too.
function diverging(background) {
  const dark = lightness(background) < 50;
  const [negative, positive] = dark ? [[96, 180, 255], [255, 164, 33]] : [[0, 84, 163], [190, 92, 0]];
  return Array.from({ length: LEVELS }, (_, level) => {
    const share = (level - 127.5) / 127.5;
    return mix(background, share < 0 ? negative : positive, Math.abs(share));
  });
}

// The text colour on each colour of a ramp: the theme's where it can be read, else black or white.
function inks(ramp, text) {
  const [black, white] = [[0, 0, 0], [255, 255, 255]];
  return ramp.map((colour) => {
    if (contrast(colour, text) >= 4.5) return text;
    return contrast(colour, black) > contrast(colour, white) ? black : white;
  });
}

// Everything that canvases need to know of the theme, resolved.
function readTheme(element) {
  const style = getComputedStyle(element);
  const value = (name, otherwise) => {
    const text = style.getPropertyValue(name).trim();
    return text && text !== "unset" ? text : otherwise;
  };
  const background = rgb(value("--st-background-color", "#ffffff")), text = rgb(value("--st-text-color", "#31333f"));
  const ramp = sequential(background, stopsOf(value("--st-chart-sequential-colors", ""), background));
  return {
    background, text, ramp,
    dark: lightness(background) < 50,
    primary: rgb(value("--st-primary-color", "#ff4b4b")),
    quiet: mix(background, text, 0.68),
    line: mix(background, text, 0.16),
    faint: mix(background, text, 0.06),
    bar: ramp[Math.round(0.72 * (LEVELS - 1))],
    fills: ramp.map(css),
    inks: inks(ramp, text).map(css),
    diverging: diverging(background),
    font: style.fontFamily || "sans-serif",
  };
}

// A weight as a level of the ramp; what lies above the top of the scale clips.
const levelOf = (weight, top) => Math.max(0, Math.min(LEVELS - 1, Math.round((weight / top) * (LEVELS - 1))));

// Makes a canvas sharp on this screen and gives its pen, scaled to CSS pixels.
function penOf(canvas, width, height) {
  const ratio = window.devicePixelRatio || 1;
  const [w, h] = [Math.max(1, Math.round(width * ratio)), Math.max(1, Math.round(height * ratio))];
  if (canvas.width !== w || canvas.height !== h) {
    Object.assign(canvas, { width: w, height: h });
    Object.assign(canvas.style, { width: `${width}px`, height: `${height}px` });
  }
  const pen = canvas.getContext("2d");
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.clearRect(0, 0, width, height);
  return pen;
}
