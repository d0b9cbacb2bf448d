// One head's arithmetic for one query, from the model's own queries, keys and values.
'use strict';

// What one head computes for one query: {q, dots, masked, row, key(j), value(j)}, `row` being the model's weights.
function headNumbers(app, entry, query) {
  const {part, layer, head} = entry;
  const rowsOf = block => {
    const numbers = app.block(block);
    return i => numbers.subarray(i * block.shape[1], (i + 1) * block.shape[1]);
  };
  const [q, key, value] = [rowsOf(entry.query)(query), rowsOf(entry.key), rowsOf(entry.value)];
  const map = app.sentence.maps[part][layer];
  const [, rows, columns] = map.shape;
  const row = app.block(map).subarray((head * rows + query) * columns, (head * rows + query + 1) * columns);
  const dot = k => q.reduce((sum, each, d) => sum + each * k[d], 0);
  const dots = Array.from(row, (unused, j) => dot(key(j)));
  const isWindow = part !== 'cross' && app.head.layers[part][layer].mixer === 'window';
  const masked = dots.map((unused, j) => (part === 'decoder' && j > query) || (isWindow && row[j] === 0));
  return {q, dots, masked, row, key, value};
}

// {scores, powers, weights}: the dot products divided, e to their power (less the largest), and their shares.
function scaledSoftmax({dots, masked}, divisor) {
  const scores = dots.map((dot, j) => (masked[j] ? -Infinity : dot / divisor));
  const largest = Math.max(...scores);
  const powers = scores.map(score => Math.exp(score - largest));
  const sum = powers.reduce((total, power) => total + power, 0);
  return {scores, powers, weights: powers.map(power => power / sum)};
}

function deviation(values) {
  const mean = values.reduce((sum, value) => sum + value, 0) / values.length;
  return Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length);
}

function weightedSum(weights, value) {
  const sum = new Array(value(0).length).fill(0);
  weights.forEach((weight, j) => value(j).forEach((each, d) => sum[d] += weight * each));
  return sum;
}
