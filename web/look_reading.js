// Attention as reading: the two sentences as wrapped words; a selected word shades the other sentence.
'use strict';

// stage: {app, choose(side, index), hover(side, index)}; side is 'query' or 'key', index counts the table's rows or
// columns, -1 is none.
function makeReading(root, stage) {
  const lists = {};

  function chip(side, item, i) {
    const bar = makeElement('i', {attributes: {'aria-hidden': 'true'}});
    const node = makeElement(
        'button', {
          class: item.ends ? 'chip ends' : 'chip',
          attributes: {type: 'button', 'data-focus': `chip:${side}:${i}`, title: shorten(item.piece, 200)},
          on: {
            click: () => stage.choose(side, i),
            pointerenter: event => event.pointerType === 'mouse' && stage.hover(side, i),
            pointerleave: event => event.pointerType === 'mouse' && stage.hover(side, -1),
            keydown: event => onKey(event, side, i)
          }
        },
        [makeElement('bdi', {text: shorten(item.label)}), bar]);
    return {node, bar, item};
  }

  function onKey(event, side, i) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    const other = side === 'query' ? 'key' : 'query';
    if (step) {
      const next = Math.min(lists[side].length - 1, Math.max(0, i + step));
      event.preventDefault();
      if (next !== i) stage.choose(side, next);
      focusNamed(`chip:${side}:${next}`);
    } else if (event.key === 'ArrowUp' || event.key === 'ArrowDown') {
      event.preventDefault();
      const at = Math.max(0, lists[other].findIndex(({node}) => node.tabIndex === 0));
      focusNamed(`chip:${other}:${at}`);
    }
  }

  function list(side, items, title, language) {
    lists[side] = items.map((item, i) => chip(side, item, i));
    const row = makeElement(
        'div', {class: 'chips', attributes: {role: 'group', 'aria-label': title, lang: language}},
        lists[side].map(({node}) => node));
    return [makeElement('h3', {class: 'eyebrow', text: title}), row];
  }

  function shade({node, bar, item}, weight, {isMasked, isChosen, isCrossed, isFirst}) {
    const {app} = stage;
    const hasWeight = weight !== null && !isMasked;
    const color = hasWeight ? stage.shade(weight) : null;
    node.style.background = color ? color.background : '';
    node.style.color = color ? color.ink : '';
    bar.style.transform = `scaleX(${hasWeight ? weight.toFixed(4) : 0})`;
    node.classList.toggle('masked', isMasked);
    node.classList.toggle('minor', Boolean(item.minor));
    node.classList.toggle('crossed', isCrossed);
    node.setAttribute('aria-pressed', String(isChosen));
    node.tabIndex = isFirst ? 0 : -1;
    const told = isMasked ? app.t('attention_masked') : hasWeight ? formatWeight(weight) : '';
    node.setAttribute('aria-label', told ? `${shorten(item.label)} ${told}` : shorten(item.label));
    node.title = [shorten(item.piece, 200), told].filter(Boolean).join('  ');
  }

  return {
    // Where words, part, language or unit changed.
    build(table) {
      const {app} = stage;
      const {source_language: source, target_language: target} = app.head.model;
      const {part} = app.state;
      root.replaceChildren(makeElement('div', {class: 'reading'}, [
        ...list(
            'key', table.keys, app.t(`attention_keys_${part}`, {n: table.keys.length}),
            part === 'decoder' ? target : source),
        ...list(
            'query', table.queries, app.t(`attention_queries_${part}`, {n: table.queries.length}),
            part === 'encoder' ? source : target),
      ]));
    },

    // A chosen query shades the keys, a chosen key the queries; with none, keys have what they get on average.
    paint(table, {query, key}) {
      const row = query >= 0 ? rowOf(table, query) : key >= 0 ? null : meanRow(table);
      const column = key >= 0 ? columnOf(table, key) : null;
      lists.key.forEach((entry, j) => shade(entry, row ? row[j] : null, {
                          isMasked: query >= 0 && table.isMasked(query, j),
                          isChosen: j === key,
                          isCrossed: j === key && query >= 0,
                          isFirst: j === Math.max(0, key)
                        }));
      lists.query.forEach((entry, i) => shade(entry, column ? column[i] : null, {
                            isMasked: key >= 0 && table.isMasked(i, key),
                            isChosen: i === query,
                            isCrossed: i === query && key >= 0,
                            isFirst: i === Math.max(0, query)
                          }));
    },
  };
}
