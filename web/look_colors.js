// The colours of the current theme, read from the style sheet, and the shades of weights between them.
'use strict';

function parseHex(text) {
  const value = parseInt(text.trim().slice(1), 16);
  return [value >> 16, (value >> 8) & 255, value & 255];
}

// A colour as ImageData holds it, read as one little-endian number.
function pixelOf([r, g, b]) {
  return (255 << 24 | b << 16 | g << 8 | r) >>> 0;
}

function luminance(rgb) {
  const [r, g, b] =
      rgb.map(value => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4));
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
}

function contrast(a, b) {
  const [light, dark] = [luminance(a), luminance(b)].sort((x, y) => y - x);
  return (light + 0.05) / (dark + 0.05);
}

// The ramp through the five weight colours in 256 shades, each with the ink that is easier to read on it.
function makeShades(stops) {
  const inks = ['#000000', '#ffffff'];
  return Array.from({length: 256}, (unused, i) => {
    const at = i / 255 * (stops.length - 1);
    const low = Math.min(stops.length - 2, Math.floor(at));
    const rgb = stops[low].map((value, c) => Math.round(value + (stops[low + 1][c] - value) * (at - low)));
    const ink =
        inks.reduce((best, other) => (contrast(parseHex(other), rgb) > contrast(parseHex(best), rgb) ? other : best));
    return {background: `rgb(${rgb.join(' ')})`, ink, pixel: pixelOf(rgb)};
  });
}

function readPalette() {
  const style = getComputedStyle(document.documentElement);
  const color = name => style.getPropertyValue(`--${name}`).trim();
  const palette = {};
  for (const name of ['page', 'panel', 'ink', 'quiet', 'line', 'grid', 'accent', 'good', 'warn'])
    palette[name] = color(name);
  palette.weight = [0, 1, 2, 3, 4].map(i => color(`weight-${i}`));
  palette.signed = ['low', 'zero', 'high'].map(name => color(`signed-${name}`));
  palette.series = [1, 2, 3, 4].map(i => color(`series-${i}`));
  palette.shades = makeShades(palette.weight.map(parseHex));
  return palette;
}
