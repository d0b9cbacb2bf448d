// Charts, bars, sliders and formulas that the Beam, Positions and Step by step tabs draw with.
'use strict';

// 1.5 → "1.50", with a true minus sign.
function fixed(value, digits) {
  if (value === -Infinity) return '−∞';
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace('-', '') : text.replace('-', '−');
}

function roundTicks(low, high, count) {
  const rough = (high - low) / count;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * decade).find(size => size >= rough * 0.99);
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) ticks.push(i * step);
  return ticks;
}

// A chart of lines. lines: [{points: [[x, y], …], series: 1…4}]; x, y: [low, high]; marks:
// [{x, series, text, anchor}].
function lineChart(width, height, {lines, x, y, marks = [], label}) {
  const [left, right, top, bottom] = [40, width - 10, marks.length > 0 ? 20 : 8, height - 22];
  const placeX = value => left + (right - left) * (value - x[0]) / (x[1] - x[0] || 1);
  const placeY = value => bottom - (bottom - top) * (value - y[0]) / (y[1] - y[0] || 1);
  const node =
      makeSvg('svg', {class: 'line-chart', viewBox: `0 0 ${width} ${height}`, role: 'img', 'aria-label': label});
  for (const tick of roundTicks(y[0], y[1], 4)) {
    node.append(
        makeSvg('line', {class: 'grid', x1: left, x2: right, y1: placeY(tick), y2: placeY(tick)}),
        makeSvg('text', {x: left - 6, y: placeY(tick) + 4, 'text-anchor': 'end'}, fixed(tick, tick % 1 === 0 ? 0 : 1)));
  }
  for (const tick of roundTicks(x[0], x[1], Math.max(2, width / 80)))
    node.append(makeSvg('text', {x: placeX(tick), y: height - 5, 'text-anchor': 'middle'}, fixed(tick, 0)));
  for (const mark of marks) {
    const at = placeX(mark.x);
    const anchor = at > right - 40 ? 'end' : mark.anchor ?? 'middle';
    const aside = at + ({start: 3, end: -3}[anchor] ?? 0);
    node.append(
        makeSvg('line', {class: `mark series-${mark.series}`, x1: at, x2: at, y1: top, y2: bottom}),
        makeSvg('text', {class: 'mark', x: aside, y: 13, 'text-anchor': anchor}, mark.text));
  }
  for (const {points, series} of lines) {
    const path = points.map(([a, b], i) => `${i === 0 ? 'M' : 'L'}${placeX(a).toFixed(1)} ${placeY(b).toFixed(1)}`);
    node.append(makeSvg('path', {class: `line series-${series}`, d: path.join('')}));
  }
  return node;
}

// A slider with its name before it and its value after it. range: [min, max, step]; onInput gets the number.
function labelledSlider(name, [min, max, step], value, onInput, tell = String) {
  const output = make('output', tell(value));
  const input = make('input', {type: 'range', min, max, step, value, 'aria-label': name});
  const show = now => {
    input.value = now;
    output.textContent = tell(now);
  };
  input.addEventListener('input', () => {
    show(Number(input.value));
    onInput(Number(input.value));
  });
  return {node: make('label.slider', [make('span', name), input, output]), input, show};
}

function plainButton(text, click, attributes = {}) {
  return make('button', {text, ...attributes, on: {click}});
}

// Entries of a list of facts, from pairs of name and value.
function factEntries(facts) {
  return facts.map(([name, text]) => make('div', [make('dt', name), make('dd', text)]));
}

function largestSize(values) {
  return values.reduce((most, value) => (Number.isFinite(value) ? Math.max(most, Math.abs(value)) : most), 1e-9);
}

// A word inside a sentence, whatever its direction: between two marks that end its effect.
function isolated(label) {
  return `\u2068${shorten(label)}\u2069`;
}

// Text in which ^{…} is raised and _{…} lowered.
function formulaElement(text) {
  const parts = text.split(/([\^_]\{[^}]*\})/).map(part => {
    const tag = {'^': 'sup', _: 'sub'}[part[0]];
    return tag && part[1] === '{' ? make(tag, {text: part.slice(2, -1)}) : part;
  });
  return make('p.formula', parts);
}

// The numbers of a vector as bars up and down.
function vectorBars(values, name) {
  const limit = largestSize(values);
  const picture = makeSvg('svg', {
    class: 'vector',
    viewBox: `0 0 ${values.length} 40`,
    preserveAspectRatio: 'none',
    role: 'img',
    'aria-label': `${name}: ${Array.from(values.slice(0, 8), value => fixed(value, 2)).join(', ')} …`
  });
  // One path for each sign: a rectangle for each number would be most of the elements of the page.
  const paths = {positive: '', negative: ''};
  values.forEach((value, i) => {
    const height = (-19 * value / limit).toFixed(2);
    paths[value < 0 ? 'negative' : 'positive'] += `M${i + 0.1} 20v${height}h0.8V20z`;
  });
  for (const [sign, d] of Object.entries(paths)) picture.append(makeSvg('path', {class: sign, d}));
  return make(
      'figure.vector-figure',
      [make('figcaption', [make('bdi', name), make('span.quiet', `± ${fixed(limit, 2)}`)]), picture]);
}

// A named number with its bar. With `limit` the bar goes from the middle to both sides, otherwise from the left.
function barCells(label, value, text, limit) {
  const bar = make('i', {class: value < 0 ? 'negative' : 'positive'});
  const size = Number.isFinite(value) ? Math.abs(value) / (limit || 1) * (limit ? 50 : 100) : 0;
  bar.style.width = `${size}%`;
  bar.style.insetInlineStart = limit ? `${value < 0 ? 50 - size : 50}%` : '0';
  return [
    make('bdi.name', label), make('span', {class: limit ? 'track middle' : 'track', 'aria-hidden': 'true'}, [bar]),
    make('span.number', text)
  ];
}

// Of one button of a list in which only the chosen one is a tab stop.
function rowAttributes(list, index, chosen) {
  const isChosen = index === chosen;
  return {'aria-pressed': String(isChosen), tabindex: isChosen ? '0' : '-1', 'data-focus': `${list}:${index}`};
}

// Scrolls a list to where it was, or, when the selected row is not to be seen there, to that row.
function showSelected(box, before) {
  box.scrollTop = before;
  const row = box.querySelector('[aria-pressed="true"], .chosen');
  if (!row) return;
  const top = row.getBoundingClientRect().top - box.getBoundingClientRect().top;
  if (top < 0 || top + row.offsetHeight > box.clientHeight) box.scrollTop += top - box.clientHeight / 2;
}
