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
  let lists;
  let drawing;
  let pitch;

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
      lists = wordLists(stage, table, {name: 'line-word', before: 'ArrowUp', after: 'ArrowDown'});
      const {query, key} = lists;
      drawing = makeSvg('svg', {class: 'line-drawing', 'aria-hidden': 'true', preserveAspectRatio: 'none'});
      const parts = [query.heading, key.heading, query.group, drawing, key.group];
      const grid = makeElement('div', {class: isShort(table) ? 'lines roomy' : 'lines'}, parts);
      root.replaceChildren(
          makeElement('div', {class: 'scroll-box'}, [grid]), makeLine('note', app.t('attention_lines_note')));
      pitch = parseFloat(getComputedStyle(query.buttons[0]).getPropertyValue('--pitch'));
      const height = pitch * Math.max(table.queries.length, table.keys.length);
      drawing.setAttribute('viewBox', `0 0 ${linesWidth} ${height}`);
      drawing.style.height = `${height}px`;
    },

    paint(table, selection) {
      const {query, key} = selection;
      drawing.replaceChildren(...linesOf(table, selection).map(curve));
      markChosen(lists.query.buttons, query);
      markChosen(lists.key.buttons, key);
      const row = query >= 0 ? rowOf(table, query) : [];
      const column = key >= 0 ? columnOf(table, key) : [];
      lists.key.buttons.forEach((node, j) => node.style.setProperty('--share', row[j] || 0));
      lists.query.buttons.forEach((node, i) => node.style.setProperty('--share', column[i] || 0));
    },
  };
}
