// The figures of the page: decoding of the number array, and attention tables cut from it. Nothing here touches the
// document except the reading of the two script elements.
'use strict';

// The numbers are little-endian f32 in base64; so are the arrays of every machine that runs a browser today.
function decodeNumbers(base64) {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; ++i) bytes[i] = text.charCodeAt(i);
  return new Float32Array(bytes.buffer, 0, bytes.length >> 2);
}

function blockOf(numbers, {at, shape}) {
  return numbers.subarray(at, at + shape.reduce((product, size) => product * size, 1));
}

const punctuation = /^[\p{P}\p{S}\s▁]+$/u;

function isSpecial(piece) {
  return piece === '</s>' || piece === '<s>';
}

function isMinor(piece) {
  return isSpecial(piece) || punctuation.test(piece);
}

// What a person reads of a piece: without the mark of a word's beginning.
function pieceLabel(piece) {
  return piece.replace(/^▁(?=.)/u, '');
}

// The pieces on one side of a map, as {piece, label, word, begins, ends}: the last two at the edges of words.
function sidePieces({pieces, word}) {
  return pieces.map((piece, i) => {
    const begins = i === 0 || word[i] !== word[i - 1];
    return {piece, label: pieceLabel(piece), word: word[i], begins, ends: word[i] !== word[i + 1]};
  });
}

// Inputs of the decoder: the target moved right by one, a start symbol first.
function decoderInputs(target) {
  const start = {piece: '<s>', label: '<s>', word: 0, begins: true, ends: true};
  return [start, ...sidePieces(target).slice(0, -1).map(input => ({...input, word: input.word + 1}))];
}

// Who asks and who is asked in a part of the model.
function mapSides(sentence, part) {
  const source = () => sidePieces(sentence.source);
  if (part === 'encoder') return {queries: source(), keys: source()};
  return {queries: sidePieces(sentence.target), keys: part === 'decoder' ? decoderInputs(sentence.target) : source()};
}

// Adds one head (or all of them) of one layer to `sum`; returns how many heads were added.
function addHeads(sum, values, heads, head) {
  const size = sum.length;
  const first = head === 'mean' ? 0 : head;
  const last = head === 'mean' ? heads - 1 : head;
  for (let h = first; h <= last; ++h) {
    for (let i = 0; i < size; ++i) sum[i] += values[h * size + i];
  }
  return last - first + 1;
}

// The weights of a part as one (queries, keys) array, averaged where layer or head is 'mean'; null where no such layer
// has attention.
function mapValues(numbers, sentence, part, layer, head) {
  const blocks = sentence.maps[part]
                     .filter((block, i) => block && (layer === 'mean' || layer === i))
                     .filter(block => head === 'mean' || head < block.shape[0]);
  if (blocks.length === 0) return null;
  const [, rows, columns] = blocks[0].shape;
  if (blocks.length === 1 && head !== 'mean') {
    const size = rows * columns;
    return blockOf(numbers, blocks[0]).subarray(head * size, (head + 1) * size);
  }
  const sum = new Float32Array(rows * columns);
  let count = 0;
  for (const block of blocks) count += addHeads(sum, blockOf(numbers, block), block.shape[0], head);
  return sum.map(value => value / count);
}

// The part of the rollout that lies in decoder inputs or in the source.
function rolloutValues(numbers, sentence, part) {
  const [rows, columns] = sentence.rollout.shape;
  const all = blockOf(numbers, sentence.rollout);
  const from = part === 'decoder' ? 0 : rows;
  const to = part === 'decoder' ? rows : columns;
  const values = new Float32Array(rows * (to - from));
  for (let i = 0; i < rows; ++i) values.set(all.subarray(i * columns + from, i * columns + to), i * (to - from));
  return values;
}

// Pieces joined to words: {label, word, first, begins}, `first` being the word's first piece.
function groupWords(pieces) {
  const groups = [];
  pieces.forEach((piece, i) => {
    if (piece.begins)
      groups.push({...piece, first: i, ends: true});
    else
      extendWord(groups[groups.length - 1], piece);
  });
  return groups;
}

function extendWord(word, piece) {
  word.label += piece.label;
  word.piece += piece.piece;
  word.minor = word.minor && piece.minor;
}

function groupIndex(pieces) {
  let group = -1;
  return pieces.map(piece => (piece.begins ? ++group : group));
}

// Rows are averaged and columns summed, so that a row keeps its sum.
function groupValues(values, queries, keys) {
  const rowOf = groupIndex(queries);
  const columnOf = groupIndex(keys);
  const rows = rowOf[rowOf.length - 1] + 1;
  const columns = columnOf[columnOf.length - 1] + 1;
  const result = new Float32Array(rows * columns);
  const counts = new Array(rows).fill(0);
  rowOf.forEach((row, i) => {
    ++counts[row];
    columnOf.forEach((column, j) => result[row * columns + column] += values[i * keys.length + j]);
  });
  return result.map((value, i) => value / counts[Math.floor(i / columns)]);
}

// Columns of </s>, <s> and punctuation at 0, each row made to sum to 1 again unless nothing is left of it.
function withoutMinor(values, keys) {
  const result = Float32Array.from(values);
  const columns = keys.length;
  for (let at = 0; at < result.length; at += columns) {
    let sum = 0;
    keys.forEach((key, j) => key.minor ? result[at + j] = 0 : sum += result[at + j]);
    if (sum > 0) keys.forEach((key, j) => result[at + j] /= sum);
  }
  return result;
}

// What all representations draw: {queries, keys, values, isMasked(i, j)}; null where there is no attention.
// choice: {part, layer, head, unit, trim, attribution}
function attentionTable(numbers, sentence, choice) {
  const {part} = choice;
  let {queries, keys} = mapSides(sentence, part);
  let values = choice.attribution === 'rollout' ? rolloutValues(numbers, sentence, part) :
                                                  mapValues(numbers, sentence, part, choice.layer, choice.head);
  if (!values) return null;
  if (choice.trim) {
    keys = keys.map(key => ({...key, minor: isMinor(key.piece)}));
    values = withoutMinor(values, keys);
  }
  if (choice.unit === 'words') {
    values = groupValues(values, queries, keys);
    queries = groupWords(queries);
    keys = groupWords(keys);
  }
  queries = queries.map((query, i) => ({first: i, ...query}));
  keys = keys.map((key, i) => ({first: i, ...key}));
  return {queries, keys, values, isMasked: maskOf(part, queries, keys)};
}

// A target word knows the inputs before its last piece.
function maskOf(part, queries, keys) {
  if (part !== 'decoder') return () => false;
  const last = queries.map((query, i) => (i + 1 < queries.length ? queries[i + 1].first - 1 : Infinity));
  return (i, j) => keys[j].first > last[i];
}

// Index of the row or column that holds a piece; -1 for none.
function indexOfPiece(items, piece) {
  if (piece < 0) return -1;
  for (let i = items.length - 1; i >= 0; --i) {
    if (items[i].first <= piece) return i;
  }
  return -1;
}

function rowOf(table, i) {
  return table.values.subarray(i * table.keys.length, (i + 1) * table.keys.length);
}

function columnOf(table, j) {
  return table.queries.map((query, i) => table.values[i * table.keys.length + j]);
}

function indexOfLargest(values) {
  return values.reduce((best, value, i) => (value > values[best] ? i : best), 0);
}

// A piece to begin with: in the middle half of the sentence, the one that looks hardest at a single piece, </s> and
// punctuation aside; -1 where there is no attention.
function tellingQuery(numbers, sentence, part, layer) {
  const table = attentionTable(numbers, sentence, {part, layer, head: 'mean', attribution: 'raw'});
  if (!table) return -1;
  const {queries, keys} = table;
  const telling = queries.map((query, i) => {
    const row = rowOf(table, i);
    const key = indexOfLargest(row);
    const isMiddle = Math.abs(i + 0.5 - queries.length / 2) <= queries.length / 4;
    return isMiddle && !isMinor(query.piece) && !isMinor(keys[key].piece) ? row[key] : 0;
  });
  const best = indexOfLargest(telling);
  return telling[best] > 0 ? best : Math.floor((queries.length - 1) / 2);
}

// In bits; numbers need not sum to 1.
function entropyBits(weights) {
  let bits = 0;
  for (const weight of weights) {
    if (weight > 0) bits -= weight * Math.log2(weight);
  }
  return bits;
}

function meanEntropy(table) {
  let sum = 0;
  for (let i = 0; i < table.queries.length; ++i) sum += entropyBits(rowOf(table, i));
  return sum / table.queries.length;
}
