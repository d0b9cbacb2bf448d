// All heads of a part as small pictures, in place or sorted by what they do.
'use strict';

const headOrders = ['place', 'entropy', 'distance', 'end', 'aligned'];

// What a head does, in numbers. `aligned` holds for each query the source word that rollout points to, </s> and
// punctuation aside, and -1 for queries that are such pieces themselves.
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
    const {piece, word} = table.keys[indexOfLargest(row)];
    if (!isMinor(piece) && word === aligned[i]) ++hits;
  }
  const all = aligned.filter(word => word >= 0).length;
  const share = hits / Math.max(1, all);
  return {entropy: meanEntropy(table), distance: distance / rows, end: end / rows, hits, all, aligned: share};
}

function alignedWords(app) {
  if (app.state.part !== 'cross') return [];
  const table =
      attentionTable(app.numbers, app.sentence, {part: 'cross', unit: 'pieces', attribution: 'rollout', trim: true});
  return table.queries.map(({piece}, i) => isMinor(piece) ? -1 : table.keys[indexOfLargest(rowOf(table, i))].word);
}

function allHeads(app) {
  const {part} = app.state;
  const aligned = alignedWords(app);
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

  function headName({layer, head}) {
    return app.t('attention_head_name', {layer: layer + 1, head: head + 1});
  }

  // Which head is first, and why; in place the answer to what is asked most.
  function verdict(order) {
    const by = order !== 'place' ? order : app.state.part === 'cross' ? 'aligned' : 'entropy';
    const [first] = sortHeads(heads, by);
    if (!first) return null;
    const {hits, all, end} = first;
    const n = by === 'end' ? formatPercent(end) : first[by].toFixed(2);
    const most = Math.log2(first.table.keys.length).toFixed(2);
    return make('p.verdict-line', app.t(`attention_first_${by}`, {head: headName(first), n, most, hits, all}));
  }

  function onKey(event) {
    const across = getComputedStyle(event.currentTarget).gridTemplateColumns.split(' ').length;
    const steps = {ArrowLeft: -1, ArrowRight: 1, ArrowUp: -across, ArrowDown: across};
    moveFocus(event, tiles.map(({node}) => node), steps);
  }

  function open({layer, head}) {
    app.set({layer, head, attribution: 'raw', style: 'matrix'});
    focusNamed('matrix');
  }

  function tile(entry, order) {
    const picture = matrixImage(entry.table, stage.shade, app.colors().grid);
    picture.className = 'thumb';
    picture.style.aspectRatio = aspect;
    const name = headName(entry);
    const most = Math.log2(entry.table.keys.length);
    const node = make(
        'button.tile', {
          'data-focus': `tile:${entry.layer}:${entry.head}`,
          'aria-label': `${name}, ${figureText(entry, 'entropy')}, ${figureText(entry, order)}`,
          on: {click: () => open(entry)}
        },
        [
          picture, make('span.tile-name', name), make('span.figure', figureText(entry, order)),
          probabilityBar(entry.entropy / most)
        ]);
    return {node, entry};
  }

  function orderChooser(order) {
    const names = headOrders.filter(name => name !== 'aligned' || app.state.part === 'cross');
    const select = make(
        'select.chooser.small',
        {'data-focus': 'order', on: {change: () => app.set({order: names[select.selectedIndex]})}},
        names.map(name => make('option', app.t(`attention_order_${name}`))));
    select.selectedIndex = Math.max(0, names.indexOf(order));
    return make('label.order', [make('span', app.t('attention_order')), select]);
  }

  return {
    build() {
      heads = allHeads(app);
      const isKnown =
          headOrders.includes(app.state.order) && (app.state.order !== 'aligned' || app.state.part === 'cross');
      const order = isKnown ? app.state.order : 'place';
      const first = heads[0]?.table;
      aspect = first ? `${first.keys.length} / ${first.queries.length}` : '1';
      tiles = sortHeads(heads, order).map(entry => tile(entry, order));
      const grid = make('div.tiles', {on: {keydown: onKey}}, tiles.map(({node}) => node));
      grid.style.setProperty('--heads', Math.max(1, ...heads.map(({head}) => head + 1)));
      refill(root, orderChooser(order), verdict(order), grid, make('p.note', app.t('attention_heads_note')));
    },

    paint() {
      const {layer, head} = app.state;
      const chosen = tiles.findIndex(({entry}) => entry.layer === layer && entry.head === head);
      tiles.forEach(({node}, i) => {
        node.classList.toggle('chosen', i === chosen);
        node.tabIndex = i === Math.max(0, chosen) ? 0 : -1;
      });
    },
  };
}
