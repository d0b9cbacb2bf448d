// All heads of a part as small pictures, in place or sorted by what they do.
'use strict';

const headOrders = ['place', 'entropy', 'distance', 'end', 'aligned'];

function argmax(values) {
  return values.reduce((best, value, i) => (value > values[best] ? i : best), 0);
}

// What a head does, in four numbers. `aligned` holds for each query the key other than </s> and
// punctuation where rollout puts most; null where the part has none.
function headFigures(table, aligned) {
  const rows = table.queries.length;
  const columns = table.keys.length;
  let distance = 0;
  let end = 0;
  let hits = 0;
  const special = table.keys.map(({piece}) => isSpecial(piece));
  for (let i = 0; i < rows; ++i) {
    const row = rowOf(table, i);
    const diagonal = rows === columns ? i : i * (columns - 1) / Math.max(1, rows - 1);
    row.forEach((weight, j) => {
      distance += weight * Math.abs(diagonal - j);
      if (special[j]) end += weight;
    });
    if (aligned && argmax(row) === aligned[i]) ++hits;
  }
  return {entropy: meanEntropy(table), distance: distance / rows, end: end / rows, aligned: aligned ? hits / rows : 0};
}

function alignedKeys(app) {
  if (app.state.part !== 'cross') return null;
  const table =
      attentionTable(app.numbers, app.sentence, {part: 'cross', unit: 'pieces', attribution: 'rollout', trim: true});
  return table.queries.map((query, i) => argmax(rowOf(table, i)));
}

function allHeads(app) {
  const {part} = app.state;
  const aligned = alignedKeys(app);
  const heads = [];
  app.sentence.maps[part].forEach((block, layer) => {
    for (let head = 0; block && head < block.shape[0]; ++head) {
      const table = attentionTable(app.numbers, app.sentence, {part, layer, head, unit: 'pieces', attribution: 'raw'});
      heads.push({layer, head, table, ...headFigures(table, aligned)});
    }
  });
  return heads;
}

function sortHeads(heads, order) {
  const biggestFirst = order === 'end' || order === 'aligned';
  if (order === 'place') return heads;
  return [...heads].sort((a, b) => (biggestFirst ? b[order] - a[order] : a[order] - b[order]));
}

function makeHeads(root, stage) {
  const {app} = stage;
  let heads, aspect, tiles;

  function figureText(entry, order) {
    if (order === 'distance') return app.t('attention_distance_short', {n: entry.distance.toFixed(1)});
    if (order === 'end') return `</s> ${formatPercent(entry.end)}`;
    if (order === 'aligned') return formatPercent(entry.aligned);
    return app.t('attention_bits', {n: entry.entropy.toFixed(2)});
  }

  function tile(entry, order) {
    const picture = matrixImage(entry.table, stage.shade, app.colors().grid);
    picture.className = 'thumb';
    picture.style.aspectRatio = aspect;
    const name = app.t('attention_head_name', {layer: entry.layer + 1, head: entry.head + 1});
    const most = Math.log2(entry.table.keys.length);
    const node = makeElement(
        'button', {
          class: 'tile',
          attributes: {
            type: 'button',
            'data-focus': `tile:${entry.layer}:${entry.head}`,
            'aria-label': `${name}, ${figureText(entry, 'entropy')}, ${figureText(entry, order)}`
          },
          on: {click: () => app.set({layer: entry.layer, head: entry.head, attribution: 'raw', style: 'matrix'})}
        },
        [
          picture, makeElement('span', {class: 'tile-name', text: name}),
          makeElement('span', {class: 'figure', text: figureText(entry, order)}), probabilityBar(entry.entropy / most)
        ]);
    return {node, entry};
  }

  function orderChooser(order) {
    const names = headOrders.filter(name => name !== 'aligned' || app.state.part === 'cross');
    const select = makeElement(
        'select', {
          class: 'chooser small',
          attributes: {'data-focus': 'order'},
          on: {change: () => app.set({order: names[select.selectedIndex]})}
        },
        names.map(name => makeElement('option', {text: app.t(`attention_order_${name}`)})));
    select.selectedIndex = Math.max(0, names.indexOf(order));
    return makeElement('label', {class: 'order'}, [makeElement('span', {text: app.t('attention_order')}), select]);
  }

  return {
    build() {
      heads = allHeads(app);
      const order = headOrders.includes(app.state.order) ? app.state.order : 'place';
      const first = heads[0]?.table;
      aspect = first ? `${first.keys.length} / ${first.queries.length}` : '1';
      tiles = sortHeads(heads, order).map(entry => tile(entry, order));
      const grid =
          makeElement('div', {class: order === 'place' ? 'tiles' : 'tiles sorted'}, tiles.map(({node}) => node));
      grid.style.setProperty('--heads', Math.max(1, ...heads.map(({head}) => head + 1)));
      refill(root, orderChooser(order), grid, makeLine('note', app.t('attention_heads_note')));
    },

    paint() {
      const {layer, head} = app.state;
      for (const {node, entry} of tiles) node.classList.toggle('chosen', entry.layer === layer && entry.head === head);
    },
  };
}
