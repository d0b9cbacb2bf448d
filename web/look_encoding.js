// Sinusoidal position encodings.
'use strict';

// An encoding is {size, layout}: size is d_model, layout 'interleaved' (the paper), 'halves' (sines in the first
// half) or 'tensor2tensor' (halves, with the frequencies of Tensor2Tensor and Marian).
function dimensionParts(dimension, {size, layout}) {
  if (layout === 'interleaved') return {pair: dimension >> 1, sine: dimension % 2 === 0};
  return {pair: dimension % (size / 2), sine: dimension < size / 2};
}

// Of both dimensions of a pair. In the paper's formula the exponent is 2i / d_model for pair i, so that dimensions
// 2i and 2i + 1 turn equally fast.
function pairFrequency(pair, {size, layout}) {
  return 10000 ** -(layout === 'tensor2tensor' ? pair / Math.max(size / 2 - 1, 1) : 2 * pair / size);
}

function encodedValue(position, dimension, encoding) {
  const {pair, sine} = dimensionParts(dimension, encoding);
  const angle = position * pairFrequency(pair, encoding);
  return sine ? Math.sin(angle) : Math.cos(angle);
}

function pairFrequencies(encoding) {
  return Float64Array.from({length: encoding.size / 2}, (unused, pair) => pairFrequency(pair, encoding));
}

// PE(p) · PE(q): each pair gives cos((p − q) ω).
function encodedDot(p, q, frequencies) {
  return frequencies.reduce((sum, frequency) => sum + Math.cos((p - q) * frequency), 0);
}

// From -1 to 1 in 511 shades, as pixels of an image.
function signedShades([low, zero, high]) {
  const bytes = new Uint8ClampedArray(4 * 511).fill(255);
  for (let i = 0; i < 511; ++i) {
    const end = i < 255 ? low : high;
    for (let c = 0; c < 3; ++c) bytes[4 * i + c] = zero[c] + Math.abs(i - 255) / 255 * (end[c] - zero[c]);
  }
  return new Uint32Array(bytes.buffer);
}

// (rows, columns): means over merged.positions × merged.dimensions neighbours. The angle grows by one rotation a
// position, which is far faster than a sine for each.
function encodingMeans(encoding, length, merged) {
  const [columns, rows] = [Math.ceil(encoding.size / merged.dimensions), Math.ceil(length / merged.positions)];
  const values = new Float32Array(rows * columns);
  for (let dimension = 0; dimension < encoding.size; ++dimension) {
    const {pair, sine} = dimensionParts(dimension, encoding);
    const frequency = pairFrequency(pair, encoding);
    const [turnSine, turnCosine] = [Math.sin(frequency), Math.cos(frequency)];
    const column = Math.floor(dimension / merged.dimensions);
    let [sin, cos] = [0, 1];
    for (let position = 0; position < length; ++position) {
      values[Math.floor(position / merged.positions) * columns + column] += sine ? sin : cos;
      const next = sin * turnCosine + cos * turnSine;
      cos = cos * turnCosine - sin * turnSine;
      sin = next;
    }
  }
  const last = length - (rows - 1) * merged.positions;
  return values.map((sum, at) => sum / merged.dimensions / (at < (rows - 1) * columns ? merged.positions : last));
}
