// Attention as reading: the two sentences as wrapped words; a selected word shades the other sentence.
'use strict';

// The words of both sides as buttons: {query: {title, heading, group, buttons}, key: {…}}, for reading and for lines.
// stage: {app, choose(side, index), hover(side, index)}; side is 'query' or 'key', index counts the table's rows or
// columns, -1 is none. Keys `before` and `after` go along a side, the other arrows to the other side.
function wordLists(stage, table, {name, before, after}) {
  const {part} = stage.app.state;
  const {source_language: source, target_language: target} = stage.app.head.model;
  const lists = {};

  function onKey(event, side, i) {
    const step = {[before]: -1, [after]: 1}[event.key];
    if (!step && !event.key.startsWith('Arrow')) return;
    event.preventDefault();
    const to = step ? side : side === 'query' ? 'key' : 'query';
    const {buttons} = lists[to];
    const next = step ? Math.min(buttons.length - 1, Math.max(0, i + step)) :
                        Math.max(0, buttons.findIndex(button => button.ariaPressed === 'true'));
    if (step && next !== i) stage.choose(side, next);
    focusNamed(`${name}:${to}:${next}`);
  }

  function button(side, item, i) {
    const preview = index => event => event.pointerType === 'mouse' && stage.hover(side, index);
    const on = {
      click: () => stage.choose(side, i),
      pointerenter: preview(i),
      pointerleave: preview(-1),
      keydown: event => onKey(event, side, i)
    };
    const attributes = {'data-focus': `${name}:${side}:${i}`, title: shorten(item.piece, 200)};
    return make('button', {class: `${name} from-${side}`, ...attributes, on}, [make('bdi', shorten(item.label))]);
  }

  function list(side, title, items, lang) {
    const buttons = items.map((item, i) => button(side, item, i));
    const heading = make('h3', {class: `eyebrow from-${side}`, text: title});
    const attributes = {role: 'group', 'aria-label': title, lang};
    lists[side] = {heading, buttons, group: make('div', {class: `${name}s from-${side}`, ...attributes}, buttons)};
  }

  const {queries, keys} = table;
  const {app} = stage;
  list('query', app.t(`attention_queries_${part}`, {n: queries.length}), queries, part === 'encoder' ? source : target);
  list('key', app.t(`attention_keys_${part}`, {n: keys.length}), keys, part === 'decoder' ? target : source);
  return lists;
}

// Both lists are one stop of the Tab key: the chosen query, or key; arrows lead to all others.
function markChosen(lists, {query, key}) {
  const stop = query < 0 && key >= 0 ? lists.key.buttons[key] : lists.query.buttons[Math.max(0, query)];
  for (const [buttons, chosen] of [[lists.query.buttons, query], [lists.key.buttons, key]]) {
    buttons.forEach((button, i) => {
      button.setAttribute('aria-pressed', String(i === chosen));
      button.tabIndex = button === stop ? 0 : -1;
    });
  }
}

function isShort(table) {
  return Math.max(table.queries.length, table.keys.length) <= 24;
}

function makeReading(root, stage) {
  const {app} = stage;
  let lists;

  function shade(node, item, weight, isMasked) {
    const hasWeight = weight !== null && !isMasked;
    const color = hasWeight ? stage.shade(weight) : null;
    node.style.background = color ? color.background : '';
    node.style.color = color ? color.ink : '';
    node.style.setProperty('--share', hasWeight ? weight.toFixed(4) : 0);
    node.classList.toggle('masked', isMasked);
    node.classList.toggle('minor', Boolean(item.minor));
    node.classList.toggle('ends', item.ends);
    const told = isMasked ? app.t('attention_masked') : hasWeight ? formatWeight(weight) : '';
    node.dataset.weight = told;
    node.setAttribute('aria-label', `${shorten(item.label)} ${told}`);
    node.title = `${shorten(item.piece, 200)}  ${told}`;
  }

  return {
    // Where words, part, language or unit changed.
    build(table) {
      lists = wordLists(stage, table, {name: 'chip', before: 'ArrowLeft', after: 'ArrowRight'});
      const {query, key} = lists;
      refill(root, make('div', {class: isShort(table) ? 'reading roomy' : 'reading'}, [
               key.heading, key.group, query.heading, query.group
             ]));
    },

    // A chosen query shades the keys, a chosen key the queries; with none, keys have what they get on average.
    paint(table, {query, key}) {
      const row = query >= 0 ? rowOf(table, query) : key >= 0 ? null : meanRow(table);
      const column = key >= 0 ? columnOf(table, key) : null;
      lists.key.buttons.forEach((node, j) => {
        shade(node, table.keys[j], row ? row[j] : null, query >= 0 && table.isMasked(query, j));
      });
      lists.query.buttons.forEach((node, i) => {
        shade(node, table.queries[i], column ? column[i] : null, key >= 0 && table.isMasked(i, key));
      });
      markChosen(lists, {query, key});
    },
  };
}
