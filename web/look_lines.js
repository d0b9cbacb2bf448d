// Attention as lines: two columns of words, joined where a weight matters. With a selection all lines of that word are
// drawn; without one each query's strongest key and those from 0.10 up, at most four a query.
'use strict';

const linesEach = 4;
const smallestShare = 0.1;
const linesWidth = 260;

// The lines worth drawing with nothing selected: [query, key, weight].
function strongestLines(table) {
  const lines = [];
  table.queries.forEach((query, i) => {
    const order = Array.from(rowOf(table, i), (weight, j) => [i, j, weight]).sort((a, b) => b[2] - a[2]);
    lines.push(...order.slice(0, linesEach)
                   .filter(([, , weight], rank) => weight > 0 && (rank === 0 || weight >= smallestShare)));
  });
  return lines;
}

function linesOf(table, {query, key}) {
  if (query < 0 && key < 0) return strongestLines(table);
  const lines = [];
  if (query >= 0) rowOf(table, query).forEach((weight, j) => lines.push([query, j, weight]));
  if (key >= 0) columnOf(table, key).forEach((weight, i) => i !== query && lines.push([i, key, weight]));
  return lines.filter(([, , weight]) => weight >= 0.002);
}

function isShort(table) {
  return Math.max(table.queries.length, table.keys.length) <= 24;
}

function makeLines(root, stage) {
  const {app} = stage;
  const nodes = {query: [], key: []};
  let drawing;
  let pitch;

  function word(side, item, i) {
    return makeElement(
        'button', {
          class: `line-word from-${side}`,
          attributes: {type: 'button', 'data-focus': `line:${side}:${i}`, title: shorten(item.piece, 200)},
          on: {
            click: () => stage.choose(side, i),
            pointerenter: event => event.pointerType === 'mouse' && stage.hover(side, i),
            pointerleave: event => event.pointerType === 'mouse' && stage.hover(side, -1),
            keydown: event => onKey(event, side, i)
          }
        },
        [makeElement('bdi', {text: shorten(item.label, 16)})]);
  }

  function onKey(event, side, i) {
    const step = {ArrowUp: -1, ArrowDown: 1}[event.key];
    const other = side === 'query' ? 'key' : 'query';
    if (step) {
      event.preventDefault();
      const next = Math.min(nodes[side].length - 1, Math.max(0, i + step));
      if (next !== i) stage.choose(side, next);
      focusNamed(`line:${side}:${next}`);
    } else if (event.key === 'ArrowLeft' || event.key === 'ArrowRight') {
      event.preventDefault();
      focusNamed(`line:${other}:${Math.max(0, nodes[other].findIndex(node => node.tabIndex === 0))}`);
    }
  }

  function column(side, items, title, language) {
    nodes[side] = items.map((item, i) => word(side, item, i));
    return makeElement(
        'div', {class: `line-column from-${side}`, attributes: {role: 'group', 'aria-label': title, lang: language}},
        nodes[side]);
  }

  function curve([i, j, weight]) {
    const [from, to] = [(i + 0.5) * pitch, (j + 0.5) * pitch];
    const middle = linesWidth / 2;
    return makeSvg('path', {
      d: `M0 ${from}C${middle} ${from} ${middle} ${to} ${linesWidth} ${to}`,
      'stroke-width': (0.5 + 4.5 * weight).toFixed(2)
    });
  }

  return {
    build(table) {
      const {source_language: source, target_language: target} = app.head.model;
      const {part} = app.state;
      const title = {
        query: app.t(`attention_queries_${part}`, {n: table.queries.length}),
        key: app.t(`attention_keys_${part}`, {n: table.keys.length})
      };
      const heading = side => makeElement('h3', {class: `eyebrow from-${side}`, text: title[side]});
      drawing = makeSvg('svg', {class: 'line-drawing', 'aria-hidden': 'true', preserveAspectRatio: 'none'});
      root.replaceChildren(
          makeElement(
              'div', {class: 'scroll-box'},
              [makeElement(
                  'div', {class: isShort(table) ? 'lines roomy' : 'lines'},
                  [
                    heading('query'),
                    heading('key'),
                    column('query', table.queries, title.query, part === 'encoder' ? source : target),
                    drawing,
                    column('key', table.keys, title.key, part === 'decoder' ? target : source),
                  ])]),
          makeElement('p', {class: 'note', text: app.t('attention_lines_note')}));
      pitch = parseFloat(getComputedStyle(nodes.query[0]).getPropertyValue('--pitch'));
      const height = pitch * Math.max(table.queries.length, table.keys.length);
      drawing.setAttribute('viewBox', `0 0 ${linesWidth} ${height}`);
      drawing.style.height = `${height}px`;
    },

    paint(table, selection) {
      const {query, key} = selection;
      drawing.replaceChildren(...linesOf(table, selection).map(curve));
      const mark = (side, chosen) => nodes[side].forEach((node, i) => {
        node.setAttribute('aria-pressed', String(i === chosen));
        node.tabIndex = i === Math.max(0, chosen) ? 0 : -1;
      });
      mark('query', query);
      mark('key', key);
      const row = query >= 0 ? rowOf(table, query) : null;
      const from = key >= 0 ? columnOf(table, key) : null;
      nodes.key.forEach((node, j) => node.style.setProperty('--share', row ? row[j] : 0));
      nodes.query.forEach((node, i) => node.style.setProperty('--share', from ? from[i] : 0));
    },
  };
}
