// The Positions tab: the sinusoidal encoding as a heat map, single dimensions as curves, and two positions compared.
// It computes everything itself and works without a model.
'use strict';

class PositionsView {
  constructor(app) {
    this.app = app;
    this.encoding = {size: 512, layout: 'interleaved'};
    this.length = 120;
    this.dimensions = [0, 10, 300, 511];
    this.compared = [3, 4];
    this.cell = {position: 3, dimension: 10};
  }

  mount(root) {
    this.root = root;
    this.build();
    new ResizeObserver(() => this.draw()).observe(root);
  }

  // The parts of the page with their words; draw() fills them.
  build() {
    const {app} = this;
    this.formula = make('div.definition');
    this.exponentNote = make('p.note');
    this.map = make('canvas.position-map', {role: 'img', tabindex: '0'});
    this.mapMarks = makeSvg('svg', {class: 'map-marks', 'aria-hidden': 'true'});
    this.reading = make('div');
    this.row = make('div.position-row');
    this.chosen = make('ul.curve-names');
    this.curves = make('div');
    this.overlay = make('div');
    this.facts = make('dl.facts');
    this.similarity = make('div');
    this.turns = make('div.turns');
    const panel = (name, ...children) => make('section.panel.view-panel', [make('h3', app.t(name)), ...children]);
    const note = name => make('p.note', app.t(name));
    this.root.replaceChildren(make('div.view-body.positions-view', [
      panel('positions_title', this.formula, this.exponentNote, this.controls()),
      panel('positions_map', note('positions_map_note'), this.mapBox(), this.reading, this.row),
      panel('positions_dimensions', note('positions_dimensions_note'), this.chosen, this.curves),
      panel('positions_two', this.pairControls(), this.facts, this.overlay, note('positions_two_note')),
      panel('positions_similarity', note('positions_similarity_note'), this.similarity),
      panel('positions_turn', note('positions_turn_note'), this.turns),
    ]));
    this.listenToMap();
    this.draw();
  }

  controls() {
    const {app, encoding} = this;
    const change = (target, name) => value => {
      target[name] = value;
      this.draw();
    };
    const size = labelledSlider(app.t('positions_size'), [16, 1024, 16], encoding.size, change(encoding, 'size'));
    const length = labelledSlider(app.t('positions_length'), [10, 2000, 10], this.length, change(this, 'length'));
    const layouts = ['interleaved', 'halves', 'tensor2tensor'];
    const layout = radioGroup(
        'layout', app.t('positions_layout'), layouts.map(value => ({value, label: app.t(`positions_layout_${value}`)})),
        encoding.layout, value => this.use({...this.encoding, layout: value}));
    const presets = [this.preset(app.t('positions_paper'), 512, 'interleaved')];
    const {model} = app.head;
    const modelLayout = {
      sinusoidal: 'interleaved',
      halves: 'tensor2tensor',
      'halves-paper': 'halves'
    }[model?.positions];
    if (modelLayout) presets.push(this.preset(app.t('positions_model'), model.d_model, modelLayout));
    return make('div.view-controls', [size.node, length.node, layout, ...presets]);
  }

  preset(text, size, layout) {
    return plainButton(text, () => this.use({size, layout}));
  }

  use(encoding) {
    this.encoding = encoding;
    this.build();
  }

  mapBox() {
    this.mergedNote = make('span.merged');
    const legend = make(
        'div.signed-legend',
        [this.mergedNote, make('span', '−1'), make('i', {'aria-hidden': 'true'}), make('span', '1')]);
    return make('div', [make('div.map-box', [this.mapMarks, this.map]), legend]);
  }

  pairControls() {
    const {app} = this;
    const input = which => make('input', {
      type: 'number',
      min: 0,
      max: 99999,
      value: this.compared[which],
      'aria-label': app.t(which === 0 ? 'positions_first' : 'positions_second'),
      on: {input: event => this.compare(which, Number(event.target.value))}
    });
    this.pairInputs = [input(0), input(1)];
    const presets = [[3, 4], [3, 500]].map(([p, q]) => plainButton(app.t('positions_and', {p, q}), () => {
                                             this.compared = [p, q];
                                             this.pairInputs.forEach((each, i) => each.value = this.compared[i]);
                                             this.draw();
                                           }));
    return make(
        'div.view-controls',
        [make('span.key.series-1'), this.pairInputs[0], make('span.key.series-2'), this.pairInputs[1], ...presets]);
  }

  compare(which, position) {
    if (!Number.isInteger(position) || position < 0) return;
    this.compared[which] = position;
    this.draw();
  }

  listenToMap() {
    const cellAt = event => {
      const box = this.map.getBoundingClientRect();
      const inside = (part, count) => Math.max(0, Math.min(count - 1, Math.floor(part * count)));
      return {
        position: inside((event.clientY - box.top) / box.height, this.length),
        dimension: inside((event.clientX - box.left) / box.width, this.encoding.size)
      };
    };
    this.map.addEventListener('pointermove', event => this.readCell(cellAt(event)));
    this.map.addEventListener('click', event => this.toggleDimension(cellAt(event).dimension));
    this.map.addEventListener('keydown', event => this.moveCell(event));
  }

  moveCell(event) {
    const moves = {ArrowLeft: [0, -1], ArrowRight: [0, 1], ArrowUp: [-1, 0], ArrowDown: [1, 0]};
    if (event.key === 'Enter') this.toggleDimension(this.cell.dimension);
    if (!moves[event.key]) return;
    event.preventDefault();
    event.stopPropagation();
    const within = (value, count) => Math.max(0, Math.min(count - 1, value));
    this.readCell({
      position: within(this.cell.position + moves[event.key][0], this.length),
      dimension: within(this.cell.dimension + moves[event.key][1], this.encoding.size)
    });
    this.app.announce(this.reading.textContent);
  }

  // At most four curves: as many as there are colours that everyone can tell apart.
  toggleDimension(dimension) {
    const without = this.dimensions.filter(each => each !== dimension);
    this.dimensions = without.length < this.dimensions.length ? without : [...this.dimensions.slice(-3), dimension];
    this.draw();
  }

  shownDimensions() {
    return this.dimensions.filter(dimension => dimension < this.encoding.size);
  }

  draw() {
    if (!this.formula || this.root.clientWidth === 0) return;
    const {size} = this.encoding;
    this.cell = {
      position: Math.min(this.cell.position, this.length - 1),
      dimension: Math.min(this.cell.dimension, size - 1)
    };
    this.drawFormula();
    this.drawExponentNote();
    this.drawMap();
    this.readCell(this.cell);
    this.drawCurves();
    this.drawFacts();
    this.drawOverlay();
    this.drawSimilarity();
    this.drawTurns();
  }

  drawFormula() {
    const {size, layout} = this.encoding;
    const half = size / 2;
    const exponent = layout === 'tensor2tensor' ? 'i/(d/2 − 1)' : '2i/d';
    const places = layout === 'interleaved' ? ['2i', '2i + 1'] : ['i', `i + ${half}`];
    const lines =
        ['sin', 'cos'].map((name, k) => formulaElement(`PE(pos, ${places[k]}) = ${name}(pos / 10000^{${exponent}})`));
    this.formula.replaceChildren(...lines, formulaElement(`i = 0 … ${half - 1}, d = d_model = ${size}`));
  }

  // With dimension 10 as the example, since it is easily taken for i = 10.
  drawExponentNote() {
    const {pair} = dimensionParts(10, this.encoding);
    const isPaper = this.encoding.layout !== 'tensor2tensor';
    this.exponentNote.textContent =
        this.app.t(isPaper ? 'positions_exponent' : 'positions_exponent_t2t', {pair, twice: 2 * pair});
  }

  drawMap() {
    const {length, map, app} = this;
    const {size} = this.encoding;
    const room = map.parentNode.clientWidth - 50;
    const height = Math.max(160, Math.min(360, length * 3));
    // What is finer than the screen is averaged, and dimensions by whole pairs: sampling would show false patterns.
    const merged = {
      dimensions: room < size ? 2 * Math.ceil(size / room / 2) : 1,
      positions: Math.ceil(length / height)
    };
    const [columns, rows] = [Math.ceil(size / merged.dimensions), Math.ceil(length / merged.positions)];
    [map.width, map.height] = [columns, rows];
    const shades = signedShades(app.colors().signed.map(parseHex));
    const image = new ImageData(columns, rows);
    const pixels = new Uint32Array(image.data.buffer);
    const values = encodingMeans(this.encoding, length, merged);
    for (let at = 0; at < pixels.length; ++at) pixels[at] = shades[Math.round(255 * values[at]) + 255];
    map.getContext('2d').putImageData(image, 0, 0);
    // Columns of equal width in whole pixels, unless they are means.
    map.style.width = `${merged.dimensions > 1 ? room : Math.floor(room / size) * size}px`;
    map.style.height = `${height}px`;
    map.style.imageRendering = merged.dimensions > 1 ? 'auto' : 'pixelated';
    const isMerged = merged.dimensions > 1 || merged.positions > 1;
    this.mergedNote.textContent = isMerged ? app.t('positions_mean', merged) : '';
    map.setAttribute('aria-label', app.t('positions_map_label', {length, size}));
    this.drawMapMarks();
  }

  // Where the chosen dimensions and the compared positions are, outside of the picture.
  drawMapMarks() {
    const box = {width: this.map.clientWidth, height: this.map.clientHeight, left: this.map.offsetLeft};
    const top = this.map.offsetTop;
    const marks = [];
    for (const tick of roundTicks(0, this.length, 5).filter(tick => tick < this.length)) {
      const y = top + (tick + 0.5) / this.length * box.height;
      marks.push(makeSvg('text', {x: box.left - 8, y: y + 4, 'text-anchor': 'end'}, fixed(tick, 0)));
    }
    let lastEnd = -Infinity;
    for (const dimension of this.shownDimensions().sort((a, b) => a - b)) {
      const x = box.left + (dimension + 0.5) / this.encoding.size * box.width;
      const series = this.dimensions.indexOf(dimension) + 1;
      marks.push(makeSvg('path', {class: `pointer series-${series}`, d: `M${x} ${top - 2}l-4 -7h8z`}));
      if (x - lastEnd < 17) continue;
      marks.push(makeSvg('text', {x, y: top - 13, 'text-anchor': 'middle'}, String(dimension)));
      lastEnd = x;
    }
    this.compared.forEach((position, i) => {
      if (position >= this.length) return;
      const y = top + (position + 0.5) / this.length * box.height;
      marks.push(makeSvg('path', {class: `pointer series-${i + 1}`, d: `M${box.left - 1} ${y}l-6 -3.5v7z`}));
    });
    this.mapMarks.replaceChildren(...marks);
  }

  readCell(cell) {
    this.cell = cell;
    const {size, layout} = this.encoding;
    const {pair, sine} = dimensionParts(cell.dimension, this.encoding);
    const angle = cell.position * pairFrequency(pair, this.encoding);
    const name = sine ? 'sin' : 'cos';
    const exponent = layout === 'tensor2tensor' ? `${pair}/${size / 2 - 1}` : `${2 * pair}/${size}`;
    const value = encodedValue(cell.position, cell.dimension, this.encoding);
    this.reading.replaceChildren(formulaElement(`PE(${cell.position}, ${cell.dimension}) = ${name}(${
        cell.position} / 10000^{${exponent}}) = ${name}(${fixed(angle, 4)}) = ${fixed(value, 4)}`));
    this.drawRow(cell.position);
  }

  // One position as what it is: a row of the map, all its numbers as bars.
  drawRow(position) {
    const {app, encoding: {size}} = this;
    const {model, sentence} = app.head.model ? {model: app.head.model, sentence: app.sentence} : {};
    const piece = sentence?.source.pieces[position - (model.position_start ?? 0)];
    const values =
        Float64Array.from({length: size}, (unused, dimension) => encodedValue(position, dimension, this.encoding));
    const told = [
      app.t('positions_row_note', {size}),
      piece ? app.t('positions_row_piece', {position, piece: isolated(pieceLabel(piece))}) : ''
    ];
    this.row.replaceChildren(
        make('h4', app.t('positions_row', {position})), vectorBars(values, `PE(${position})`),
        make('p.note', told.join(' ')));
  }

  drawCurves() {
    const {app, length} = this;
    const shown = this.shownDimensions();
    const series = dimension => this.dimensions.indexOf(dimension) + 1;
    this.chosen.replaceChildren(
        ...shown.map(dimension => {
          const {pair, sine} = dimensionParts(dimension, this.encoding);
          const wavelength = 2 * Math.PI / pairFrequency(pair, this.encoding);
          const remove = plainButton(
              '×', () => this.toggleDimension(dimension),
              {class: 'bare', 'aria-label': app.t('positions_remove', {dimension})});
          const values = {dimension, pair, name: sine ? 'sin' : 'cos', wavelength: wavelengthText(wavelength)};
          return make('li', [
            make('span', {class: `key series-${series(dimension)}`}), make('span', app.t('positions_curve', values)),
            remove
          ]);
        }),
        this.presetDimensions());
    const lines =
        shown.map(dimension => ({
                    series: series(dimension),
                    points: Array.from(
                        {length}, (unused, position) => [position, encodedValue(position, dimension, this.encoding)])
                  }));
    this.curves.replaceChildren(lineChart(this.curves.clientWidth, 220, {
      lines,
      x: [0, length - 1],
      y: [-1, 1],
      label: app.t('positions_curves_label', {dimensions: shown.join(', ')})
    }));
  }

  presetDimensions() {
    const use = () => {
      this.dimensions = [0, 10, 300, 511];
      this.draw();
    };
    return make('li', [plainButton('0 · 10 · 300 · 511', use)]);
  }

  drawFacts() {
    const {app, encoding, compared: [p, q]} = this;
    const dot = encodedDot(p, q, pairFrequencies(encoding));
    const half = encoding.size / 2;
    const facts = [
      [`PE(${p}) · PE(${q})`, fixed(dot, 3)],
      [app.t('positions_cosine'), `${fixed(dot, 3)} / ${half} = ${fixed(dot / half, 4)}`],
      [app.t('positions_length_of'), `√${half} = ${fixed(Math.sqrt(half), 3)}`],
    ];
    this.facts.replaceChildren(...factEntries(facts));
  }

  // Sines and cosines apart: interleaved they would alternate so fast that the lines become a band.
  drawOverlay() {
    const {app, encoding} = this;
    const charts = [true, false].map(sine => {
      const dimensions = Array.from({length: encoding.size}, (unused, dimension) => dimension)
                             .filter(dimension => dimensionParts(dimension, encoding).sine === sine);
      const lines = this.compared.map(
          (position, i) => ({
            series: i + 1,
            points: dimensions.map(dimension => [dimension, encodedValue(position, dimension, encoding)])
          }));
      const text = app.t(sine ? 'positions_sines' : 'positions_cosines');
      const chart = make('div', [make('h4', text)]);
      chart.draw = () => chart.append(lineChart(
          chart.clientWidth, 150,
          {lines, x: [dimensions[0], dimensions[dimensions.length - 1]], y: [-1, 1], label: text}));
      return chart;
    });
    this.overlay.className = 'two-charts';
    this.overlay.replaceChildren(...charts);
    charts.forEach(chart => chart.draw());
  }

  drawSimilarity() {
    const {app, encoding, compared: [p, q]} = this;
    const length = Math.max(this.length, p + 1, q + 1);
    const frequencies = pairFrequencies(encoding);
    const step = Math.ceil(length / 1000);
    const points = [];
    for (let other = 0; other < length; other += step) points.push([other, encodedDot(p, other, frequencies)]);
    const low = Math.min(0, ...points.map(point => point[1]));
    this.similarity.replaceChildren(lineChart(this.similarity.clientWidth, 200, {
      lines: [{points, series: 1}],
      x: [0, length - 1],
      y: [low, encoding.size / 2],
      marks: [
        {x: p, series: 1, text: `p = ${p}`, anchor: p < q ? 'end' : 'start'},
        {x: q, series: 2, text: `q = ${q}`, anchor: p < q ? 'start' : 'end'}
      ],
      label: app.t('positions_similarity_label', {p})
    }));
  }

  // A pair of dimensions is a hand on a clock: from p to q it turns by (q − p) ω, wherever p is.
  drawTurns() {
    const {app, encoding, compared} = this;
    this.turns.replaceChildren(...this.shownDimensions().map(dimension => {
      const {pair} = dimensionParts(dimension, encoding);
      const frequency = pairFrequency(pair, encoding);
      const hands = compared.map((position, i) => makeSvg('line', {
                                   class: `hand series-${i + 1}`,
                                   x1: 50,
                                   y1: 50,
                                   x2: 50 + 38 * Math.cos(position * frequency),
                                   y2: 50 - 38 * Math.sin(position * frequency)
                                 }));
      const face = makeSvg('svg', {viewBox: '0 0 100 100', 'aria-hidden': 'true'});
      face.append(makeSvg('circle', {cx: 50, cy: 50, r: 38}), ...hands);
      const turn = (compared[1] - compared[0]) * frequency;
      return make('figure', [
        face,
        make(
            'figcaption',
            app.t(
                'positions_turn_caption', {pair, k: compared[1] - compared[0], turn: fixed(turn, turn < 0.1 ? 4 : 2)}))
      ]);
    }));
  }
}

function wavelengthText(wavelength) {
  return wavelength >= 1000 ? Math.round(wavelength).toLocaleString('en') : fixed(wavelength, 2);
}

{
  // One for the life of the page, so that its settings outlast a change of language.
  const view = new PositionsView(look);
  look.view('positions', {mount: root => view.mount(root), update: () => view.drawRow(view.cell.position)});
}
