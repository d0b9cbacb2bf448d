// The figures of the Attention tab beside its drawings: where the selected word looks, and what the translation would
// be without the chosen head.
'use strict';

const barsShown = 8;

function formatWeight(weight) {
  return weight.toFixed(weight > 0 && weight < 0.01 ? 4 : 3);
}

function meanRow(table) {
  const columns = table.keys.length;
  const sum = new Float32Array(columns);
  table.values.forEach((value, i) => sum[i % columns] += value);
  return sum.map(value => value / table.queries.length);
}

// The largest weights with their labels, largest first.
function largest(weights, items, count) {
  return Array.from(weights, (weight, i) => ({weight, item: items[i]}))
      .sort((a, b) => b.weight - a.weight)
      .slice(0, count);
}

function pairText(app, table, query, key) {
  return table.isMasked(query, key) ? app.t('attention_masked') :
                                      table.values[query * table.keys.length + key].toFixed(6);
}

function pairFigure(app, table, query, key) {
  return make('p.pair-figure', [
    make('bdi', shorten(table.queries[query].label)), ' → ', make('bdi', shorten(table.keys[key].label)),
    make('b.figure', pairText(app, table, query, key))
  ]);
}

function weightRow({weight, item}) {
  return make('li.choice-row', [
    make('bdi.name', {text: shorten(item.label), title: shorten(item.piece, 200)}),
    make('span.figure', weight.toFixed(6)), probabilityBar(weight)
  ]);
}

// The largest weights of a row ('looks_at') or a column ('looked_at').
function weightList(app, kind, item, weights, items) {
  const sum = weights.reduce((a, b) => a + b, 0);
  const end = kind === 'looks_at' ?
      app.t('attention_entropy', {bits: entropyBits(weights).toFixed(3), sum: sum.toFixed(6)}) :
      app.t('attention_column_sum', {sum: sum.toFixed(3)});
  const word = make('bdi', shorten(item.label));
  return [
    make('h3.looks', [word, ` ${app.t(`attention_${kind}`)}`]),
    make('ol.choice-rows.weights', largest(weights, items, barsShown).map(weightRow)), make('p.equation', end)
  ];
}

function unselectedFigures(app, table) {
  const hint = app.state.style === 'reading' ? 'attention_pick_reading' : 'attention_pick';
  const values = {bits: meanEntropy(table).toFixed(3), most: Math.log2(table.keys.length).toFixed(3)};
  return [make('p.note', app.t(hint)), make('p.equation', app.t('attention_mean_entropy', values))];
}

// The translation with the chosen head's output at 0.
function silencedFigures(app) {
  const {part, layer, head, attribution} = app.state;
  const {silenced, translation, log_probability: before} = app.sentence;
  if (silenced.length === 0 || attribution === 'rollout') return [];
  const title = make('h3.silence', app.t('attention_silence'));
  const note = key => make('p.note', app.t(key));
  const entry = silenced.find(other => other.part === part && other.layer === layer && other.head === head);
  if (!entry) return [title, note('attention_silence_pick')];
  const {text, of_translation: after, log_probability: own} = entry;
  const change = `log P: ${formatLog(before)} → ${formatLog(after)}  (Δ ${formatLog(after - before)})`;
  const parts = [make('p.equation', change)];
  if (text === translation) return [title, note('attention_silence_same'), ...parts];
  const attributes = {lang: app.head.model.target_language, dir: 'auto'};
  return [
    title, note('attention_silence_other'), make('p.silenced-text', {text, ...attributes}), ...parts,
    make('p.equation', app.t('attention_silence_log', {log: formatLog(own)}))
  ];
}

// How the selected piece's hidden state grows from layer to layer.
function sizeFigures(app, name, piece) {
  const sizes = app.sentence.norms[name].map(layer => layer[piece]);
  const most = Math.max(...sizes);
  const column = (size, layer) => {
    const bar = make('i', {'aria-hidden': 'true'});
    bar.style.height = `${(2.5 * size / most).toFixed(2)}rem`;
    const label = layer === 0 ? app.t('attention_embedding') : String(layer);
    return make('li', [bar, make('b', size.toFixed(1)), label]);
  };
  return [
    make('h3.silence', app.t('attention_sizes')), make('ol.sizes', sizes.map(column)),
    make('p.note', app.t(`attention_sizes_${name}`))
  ];
}

function selectionFigures(app, table, {query, key}, name) {
  const parts = [make('p.eyebrow', name)];
  if (!table) return parts;
  if (query < 0 && key < 0) parts.push(...unselectedFigures(app, table));
  if (query >= 0 && key >= 0) parts.push(pairFigure(app, table, query, key));
  if (query >= 0) parts.push(...weightList(app, 'looks_at', table.queries[query], rowOf(table, query), table.keys));
  if (query < 0 && key >= 0)
    parts.push(...weightList(app, 'looked_at', table.keys[key], columnOf(table, key), table.queries));
  if (query >= 0)
    parts.push(...sizeFigures(app, app.state.part === 'encoder' ? 'encoder' : 'decoder', table.queries[query].first));
  else if (key >= 0)
    parts.push(...sizeFigures(app, app.state.part === 'decoder' ? 'decoder' : 'encoder', table.keys[key].first));
  return [...parts, ...silencedFigures(app)];
}
