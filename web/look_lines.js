// Attention as lines: two columns of words, joined where a weight matters. With a selection all lines of that word are
// drawn; without one each query's strongest key and those from 0.10 up, at most four a query.
'use strict';

const linesEach = 4;
const smallestShare = 0.1;
const linesWidth = 260;
const headsOverlaid = 4;  // as many as there are colours that everyone can tell apart

// The lines worth drawing with nothing selected: [query, key, weight], at most `most` a query.
function strongestLines(table, most) {
  const lines = [];
  table.queries.forEach((query, i) => {
    const order = Array.from(rowOf(table, i), (weight, j) => [i, j, weight]).sort((a, b) => b[2] - a[2]);
    lines.push(
        ...order.slice(0, most).filter(([, , weight], rank) => weight > 0 && (rank === 0 || weight >= smallestShare)));
  });
  return lines;
}

function linesOf(table, {query, key}, most) {
  if (query < 0 && key < 0) return strongestLines(table, most);
  const lines = [];
  if (query >= 0) rowOf(table, query).forEach((weight, j) => lines.push([query, j, weight]));
  if (key >= 0) columnOf(table, key).forEach((weight, i) => i !== query && lines.push([i, key, weight]));
  return lines.filter(([, , weight]) => weight >= 0.002);
}

function makeLines(root, stage) {
  const {app} = stage;
  const headBox = make('div.overlay-heads');
  let lists;
  let drawing;
  let pitch;

  // Of several heads each line is a little below the last, so that equal ones do not hide each other.
  function curve([i, j, weight], series = 0) {
    const [from, to] = [i, j].map(row => (row + 0.5) * pitch + (series && 2.5 * (series - 2.5)));
    const middle = linesWidth / 2;
    return makeSvg('path', {
      class: series ? `series-${series}` : '',
      d: `M0 ${from}C${middle} ${from} ${middle} ${to} ${linesWidth} ${to}`,
      'stroke-width': (0.5 + 4.5 * weight).toFixed(2)
    });
  }

  // Heads of one layer can be laid over each other.
  function headChoice() {
    const {layer, heads, attribution, part} = app.state;
    const count = layer === 'mean' || attribution === 'rollout' ? 0 : app.headCount(part, layer);
    const chosen = String(heads).split('-').filter(Boolean).map(Number).filter(head => head < count);
    return {count, chosen: chosen.slice(0, headsOverlaid)};
  }

  function showHeads({count, chosen}) {
    const toggle = head => {
      const others = chosen.filter(each => each !== head);
      const next = others.length < chosen.length ? others : [...chosen.slice(1 - headsOverlaid), head];
      app.set({heads: next.join('-')});
    };
    const buttons = Array.from({length: count}, (unused, head) => {
      const series = chosen.indexOf(head) + 1;
      const attributes = rowAttributes('over', head, 0);
      const on = {
        click: () => toggle(head),
        keydown: event => moveFocus(event, buttons, {ArrowLeft: -1, ArrowRight: 1})
      };
      const key = series > 0 ? [make('span', {class: `key series-${series}`})] : [];
      const button = make('button', {...attributes, on}, [String(head + 1), ...key]);
      button.setAttribute('aria-pressed', String(series > 0));
      return button;
    });
    refill(headBox, count > 0 && make('span', app.t('attention_overlay')), ...buttons);
  }

  return {
    build(table) {
      lists = wordLists(stage, table, {name: 'line-word', before: 'ArrowUp', after: 'ArrowDown'});
      const {query, key} = lists;
      drawing = makeSvg('svg', {class: 'line-drawing', 'aria-hidden': 'true', preserveAspectRatio: 'none'});
      const parts = [query.heading, key.heading, query.group, drawing, key.group];
      const grid = make('div', {class: isShort(table) ? 'lines roomy' : 'lines'}, parts);
      refill(root, headBox, make('div.scroll-box', [grid]), make('p.note', app.t('attention_lines_note')));
      pitch = parseFloat(getComputedStyle(query.buttons[0]).getPropertyValue('--pitch'));
      const height = pitch * Math.max(table.queries.length, table.keys.length);
      drawing.setAttribute('viewBox', `0 0 ${linesWidth} ${height}`);
      drawing.style.height = `${height}px`;
    },

    paint(table, selection) {
      const {query, key} = selection;
      const heads = headChoice();
      const tables = heads.chosen.map(head => attentionTable(app.numbers, app.sentence, {...app.state, head}));
      showHeads(heads);
      const lines = tables.flatMap((each, k) => linesOf(each, selection, 1).map(line => curve(line, k + 1)));
      drawing.replaceChildren(
          ...(tables.length > 0 ? lines : linesOf(table, selection, linesEach).map(line => curve(line))));
      markChosen(lists, selection);
      const row = query >= 0 ? rowOf(table, query) : [];
      const column = key >= 0 ? columnOf(table, key) : [];
      lists.key.buttons.forEach((node, j) => node.style.setProperty('--share', row[j] || 0));
      lists.query.buttons.forEach((node, i) => node.style.setProperty('--share', column[i] || 0));
    },
  };
}
