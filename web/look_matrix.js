// Attention as a matrix: a canvas with a row for each query and a column for each key.
'use strict';

const smallestCell = 6;
const largestCell = 28;
const labelLength = 14;

// The picture of a table, one pixel a cell, to be stretched by its user.
function matrixImage(table, shade, maskColor) {
  const columns = table.keys.length;
  const rows = table.queries.length;
  const image = new ImageData(columns, rows);
  const pixels = new Uint32Array(image.data.buffer);
  const mask = pixelOf(parseHex(maskColor));
  for (let i = 0; i < rows; ++i) {
    for (let j = 0; j < columns; ++j) {
      const at = i * columns + j;
      pixels[at] = table.isMasked(i, j) ? mask : shade(table.values[at]).pixel;
    }
  }
  const canvas = document.createElement('canvas');
  canvas.width = image.width;
  canvas.height = image.height;
  canvas.getContext('2d').putImageData(image, 0, 0);
  return canvas;
}

function makeMatrix(root, stage) {
  const {app} = stage;
  const canvas = make('canvas');
  const box = make('div.scroll-box', {tabindex: '0', role: 'img', 'data-focus': 'matrix'}, [canvas]);
  let table, image, layout, selection;
  root.replaceChildren(box, make('p.note', app.t('attention_matrix_note')));

  // Room for labels and the size of a cell, from the width of the box and the longest labels.
  function measure() {
    const pen = canvas.getContext('2d');
    pen.font = labelFont(false);
    const longest = items => Math.max(...items.map(({label}) => pen.measureText(shorten(label, labelLength)).width));
    const left = Math.ceil(longest(table.queries)) + 12;
    const high = longest(table.keys);
    const slope = Math.PI / 3;
    const top = Math.ceil(high * Math.sin(slope)) + 14;
    const right = Math.ceil(high * Math.cos(slope)) + 8;
    const width = Math.min(720, (box.clientWidth || 720) - left - right - 2);
    const cell = Math.min(largestCell, Math.max(smallestCell, Math.floor(width / table.keys.length)));
    layout = {left, top, right, cell, slope};
  }

  function labelFont(strong) {
    return strong ? '700 14px system-ui, sans-serif' : '11px system-ui, sans-serif';
  }

  function draw() {
    const {left, top, right, cell} = layout;
    const width = left + table.keys.length * cell + right;
    const height = top + table.queries.length * cell + 4;
    const pen = sizeCanvas(canvas, width, height);
    pen.imageSmoothingEnabled = false;
    pen.drawImage(image, left, top, table.keys.length * cell, table.queries.length * cell);
    const {line} = app.colors();
    pen.strokeStyle = line;
    pen.strokeRect(left - 0.5, top - 0.5, table.keys.length * cell + 1, table.queries.length * cell + 1);
    drawLabels(pen);
    drawCross(pen);
  }

  function drawLabels(pen) {
    const {cell} = layout;
    const every = Math.ceil(11 / cell);
    const {query, key} = selection;
    table.queries.forEach((item, i) => i % every === 0 && i !== query && rowLabel(pen, item, i, false));
    table.keys.forEach((item, j) => j % every === 0 && j !== key && columnLabel(pen, item, j, false));
    if (query >= 0) rowLabel(pen, table.queries[query], query, true);
    if (key >= 0) columnLabel(pen, table.keys[key], key, true);
  }

  function label(pen, text, x, y, strong, align) {
    const {ink, quiet, panel} = app.colors();
    pen.font = labelFont(strong);
    pen.textAlign = align;
    pen.textBaseline = 'middle';
    if (strong) {
      const width = pen.measureText(text).width + 8;
      pen.fillStyle = panel;
      pen.fillRect(align === 'right' ? x - width + 4 : x - 4, y - 10, width, 20);
    }
    pen.fillStyle = strong ? ink : quiet;
    pen.fillText(text, x, y);
  }

  function rowLabel(pen, item, i, strong) {
    const {left, top, cell} = layout;
    pen.save();
    const text = shorten(item.label, labelLength);
    pen.font = labelFont(strong);
    // A bold label may be wider than the margin; it then begins at the edge.
    const x = Math.max(left - 6, strong ? pen.measureText(text).width + 4 : 0);
    label(pen, text, x, top + (i + 0.5) * cell, strong, 'right');
    pen.restore();
  }

  function columnLabel(pen, item, j, strong) {
    const {left, top, cell, slope} = layout;
    pen.save();
    pen.translate(left + (j + 0.5) * cell, top - 6);
    pen.rotate(-slope);
    pen.globalAlpha = item.minor ? 0.4 : 1;
    label(pen, shorten(item.label, labelLength), 0, 0, strong, 'left');
    pen.restore();
  }

  function drawCross(pen) {
    const {left, top, cell} = layout;
    const {query, key} = selection;
    pen.strokeStyle = app.colors().accent;
    pen.lineWidth = 2;
    const [width, height] = [table.keys.length * cell, table.queries.length * cell];
    if (query >= 0) pen.strokeRect(left, top + query * cell, width, cell);
    if (key >= 0) pen.strokeRect(left + key * cell, top, cell, height);
  }

  function placeOf(event) {
    const frame = canvas.getBoundingClientRect();
    const {left, top, cell} = layout;
    const j = Math.floor((event.clientX - frame.left - left) / cell);
    const i = Math.floor((event.clientY - frame.top - top) / cell);
    return {
      query: i >= 0 && i < table.queries.length ? i : -1,
      key: j >= 0 && j < table.keys.length ? j : -1,
    };
  }

  canvas.addEventListener('pointermove', event => event.pointerType === 'mouse' && stage.hoverCell(placeOf(event)));
  canvas.addEventListener('pointerleave', () => stage.hoverCell(null));
  canvas.addEventListener('click', event => stage.chooseCell(placeOf(event)));
  box.addEventListener('keydown', event => {
    const [down, across] = {ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1]}[event.key] ||
        [0, 0];
    if (!down && !across) return;
    event.preventDefault();
    const moved = (now, step, count) => (step ? Math.min(count - 1, Math.max(0, now + step)) : now);
    stage.chooseCell({
      query: moved(selection.query, down, table.queries.length),
      key: moved(selection.key, across, table.keys.length)
    });
  });

  return {
    build(next) {
      table = next;
      measure();
    },

    paint(next, chosen, changed) {
      table = next;
      selection = chosen;
      if (changed || !image) image = matrixImage(table, stage.shade, app.colors().grid);
      box.setAttribute('aria-label', stage.summary());
      draw();
    },
  };
}
