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
  return makeElement('p', {class: 'pair-figure'}, [
    makeElement('bdi', {text: shorten(table.queries[query].label)}), ' → ',
    makeElement('bdi', {text: shorten(table.keys[key].label)}),
    makeElement('b', {class: 'figure', text: pairText(app, table, query, key)})
  ]);
}

function weightRow({weight, item}) {
  return makeElement('li', {class: 'choice-row'}, [
    makeElement('bdi', {class: 'name', text: shorten(item.label), attributes: {title: shorten(item.piece, 200)}}),
    makeElement('span', {class: 'figure', text: weight.toFixed(6)}), probabilityBar(weight)
  ]);
}

// The largest weights of a row ('looks_at') or a column ('looked_at').
function weightList(app, kind, item, weights, items) {
  const sum = weights.reduce((a, b) => a + b, 0);
  const end = kind === 'looks_at' ?
      app.t('attention_entropy', {bits: entropyBits(weights).toFixed(3), sum: sum.toFixed(6)}) :
      app.t('attention_column_sum', {sum: sum.toFixed(3)});
  const word = makeElement('bdi', {text: shorten(item.label)});
  return [
    makeElement('h3', {class: 'looks'}, [word, ` ${app.t(`attention_${kind}`)}`]),
    makeElement('ol', {class: 'choice-rows weights'}, largest(weights, items, barsShown).map(weightRow)),
    makeLine('equation', end)
  ];
}

function unselectedFigures(app, table) {
  const hint = app.state.style === 'reading' ? 'attention_pick_reading' : 'attention_pick';
  const values = {bits: meanEntropy(table).toFixed(3), most: Math.log2(table.keys.length).toFixed(3)};
  return [makeLine('note', app.t(hint)), makeLine('equation', app.t('attention_mean_entropy', values))];
}

// The translation with the chosen head's output at 0.
function silencedFigures(app) {
  const {part, layer, head, attribution} = app.state;
  const {silenced, translation, log_probability: before} = app.sentence;
  if (silenced.length === 0 || attribution === 'rollout') return [];
  const title = makeElement('h3', {class: 'silence', text: app.t('attention_silence')});
  const note = key => makeLine('note', app.t(key));
  const entry = silenced.find(other => other.part === part && other.layer === layer && other.head === head);
  if (!entry) return [title, note('attention_silence_pick')];
  const {text, of_translation: after, log_probability: own} = entry;
  const change = `log P: ${formatLog(before)} → ${formatLog(after)}  (Δ ${formatLog(after - before)})`;
  const parts = [makeLine('equation', change)];
  if (text === translation) return [title, note('attention_silence_same'), ...parts];
  const attributes = {lang: app.head.model.target_language, dir: 'auto'};
  return [
    title, note('attention_silence_other'), makeElement('p', {class: 'silenced-text', text, attributes}), ...parts,
    makeLine('equation', app.t('attention_silence_log', {log: formatLog(own)}))
  ];
}

function selectionFigures(app, table, {query, key}, name) {
  const parts = [makeElement('p', {class: 'eyebrow', text: name})];
  if (!table) return parts;
  if (query < 0 && key < 0) parts.push(...unselectedFigures(app, table));
  if (query >= 0 && key >= 0) parts.push(pairFigure(app, table, query, key));
  if (query >= 0) parts.push(...weightList(app, 'looks_at', table.queries[query], rowOf(table, query), table.keys));
  if (query < 0 && key >= 0)
    parts.push(...weightList(app, 'looked_at', table.keys[key], columnOf(table, key), table.queries));
  return [...parts, ...silencedFigures(app)];
}
