// The Step by step tab: the attention of one head for one query word in six cards, from the model's own queries, keys
// and values to the weighted sum. The divisor can be moved; what follows from it is computed here.
'use strict';

const largestTerms = 8;
const largestShares = 5;
const equalWithin = 1e-6;

class StepsView {
  constructor(root, app) {
    Object.assign(this, {root, app, divisor: 0, tour: -1, shownHead: ''});
    root.addEventListener('keydown', event => this.onKey(event));
  }

  // The head of the state if its numbers are here, else one of the same layer or part, else the first.
  entry() {
    const {steps} = this.app.sentence;
    const {part, layer, head} = this.app.state;
    return steps.find(each => each.part === part && each.layer === layer && each.head === head) ??
        steps.find(each => each.part === part && each.layer === layer) ?? steps.find(each => each.part === part) ??
        steps[0];
  }

  update() {
    const {app, root} = this;
    if (!app.sentence?.steps?.length) {
      refill(root, make('p.panel.view-panel', app.t('steps_none')));
      return;
    }
    this.read();
    const scrolled = Array.from(root.querySelectorAll('.bar-rows, .scroll'), box => box.scrollTop);
    refill(root, make('div.view-body.steps-view', [
             this.chooser(), make('div.cards', [1, 2, 3, 4, 5, 6].map(n => this.card(n)))
           ]));
    this.follow();
    const chips = root.querySelector('.query-chips');
    const chip = chips.children[this.query];
    chips.scrollLeft = chip.offsetLeft - chips.offsetLeft - (chips.clientWidth - chip.clientWidth) / 2;
    root.querySelectorAll('.bar-rows, .scroll').forEach((box, i) => showSelected(box, scrolled[i] ?? 0));
  }

  read() {
    const {app} = this;
    this.chosen = this.entry();
    const {part, layer, head, query} = this.chosen;
    const [rows, size] = query.shape;
    this.size = size;
    this.modelDivisor = Math.sqrt(size);
    if (this.shownHead !== `${part} ${layer} ${head}`) this.divisor = this.modelDivisor;
    this.shownHead = `${part} ${layer} ${head}`;
    this.sides = mapSides(app.sentence, part);
    const isThere = app.state.query >= 0 && app.state.query < rows;
    this.query = isThere ? app.state.query : tellingQuery(app.numbers, app.sentence, part, layer);
    this.numbers = headNumbers(app, this.chosen, this.query);
    this.model = scaledSoftmax(this.numbers, this.modelDivisor);
    const {key} = app.state;
    this.key = key >= 0 && key < this.sides.keys.length ? key : indexOfLargest(this.model.weights);
  }

  // With the head whose numbers are shown, so that the state says what the eye sees.
  set(changes) {
    const {part, layer, head} = this.chosen;
    this.app.set({part, layer, head, ...changes});
  }

  word(j) {
    return isolated(this.sides.keys[j].label);
  }

  chooser() {
    const {app, chosen} = this;
    const {layer, head, part} = app.state;
    const elsewhere =
        layer !== 'mean' && head !== 'mean' && (part !== chosen.part || layer !== chosen.layer || head !== chosen.head);
    const input = chosen.part === 'encoder' ? '' : isolated(decoderInputs(app.sentence.target)[this.query].label);
    const hint = chosen.part === 'encoder' ? app.t('steps_query_encoder') : app.t('steps_query_decoder', {input});
    const tell = plainButton(app.t('steps_tell'), () => this.walk(0), {'data-focus': 'steps-tell'});
    const heads = make('label.slider', [make('span', app.t('steps_head')), this.headSelect()]);
    return make('section.panel.view-panel', [
      make('h3', app.t('steps_title')), make('div.view-controls', [heads, tell]),
      elsewhere ? this.note('steps_elsewhere') : '', make('p.note', hint), this.queryChips()
    ]);
  }

  headSelect() {
    const {app} = this;
    const {steps} = app.sentence;
    const options = steps.map(({part, layer, head}, i) => {
      const text = app.t('steps_option', {part: app.t(`steps_${part}`), layer: layer + 1, head: head + 1});
      return make('option', {text, selected: steps[i] === this.chosen});
    });
    const change = event => {
      const {part, layer, head} = steps[event.target.selectedIndex];
      app.set({part, layer, head});
    };
    return make('select', {'data-focus': 'steps-head', 'aria-label': app.t('steps_head'), on: {change}}, options);
  }

  queryChips() {
    const {app} = this;
    const language = app.head.model[this.chosen.part === 'encoder' ? 'source_language' : 'target_language'];
    return make('div.query-chips', {lang: language}, this.sides.queries.map((each, i) => {
      const attributes = {...rowAttributes('steps-query', i, this.query), title: shorten(each.piece, 200)};
      const on = {click: () => this.set({query: i, key: -1})};
      return make('button.query-chip', {...attributes, on}, [make('bdi', shorten(each.label))]);
    }));
  }

  card(n) {
    const {app} = this;
    const title = make('h3', [make('span.card-number', String(n)), app.t(`steps_${n}`)]);
    const parts = [this.card1, this.card2, this.card3, this.card4, this.card5, this.card6][n - 1].call(this);
    const isTold = this.tour === n - 1;
    return make(
        'section', {class: `panel card${isTold ? ' told' : ''}`, id: `step-${n}`},
        [title, isTold ? this.teller(n) : '', ...parts]);
  }

  note(key, values) {
    return make('p.note', this.app.t(key, values));
  }

  card1() {
    const {numbers, key, chosen} = this;
    const query = shorten(this.sides.queries[this.query].label);
    const sizes = {d_model: this.app.head.model.d_model, d_k: this.size, d_v: chosen.value.shape[1]};
    return [
      formulaElement('q = x W^{Q},  k = x W^{K},  v = x W^{V}'), vectorBars(numbers.q, `q  ${query}`),
      vectorBars(numbers.key(key), `k  ${this.word(key)}`), vectorBars(numbers.value(key), `v  ${this.word(key)}`),
      this.note('steps_1_note', sizes)
    ];
  }

  card2() {
    const {numbers} = this;
    const limit = largestSize(numbers.dots);
    const rows = numbers.dots.map((dot, j) => {
      const attributes = rowAttributes('steps-key', j, this.key);
      const on = {click: () => this.set({query: this.query, key: j})};
      return make('button.bar-row', {...attributes, on}, barCells(this.word(j), dot, fixed(dot, 3), limit));
    });
    return [
      formulaElement('q · k_{j} = Σ_{d} q_{d} k_{j,d}'), make('div.bar-rows', rows), this.terms(),
      this.note('steps_2_note')
    ];
  }

  // The terms of one dot product, largest first, adding up to it.
  terms() {
    const {app, numbers, key} = this;
    const k = numbers.key(key);
    const terms = Array.from(numbers.q, (each, d) => ({d, term: each * k[d]}));
    terms.sort((a, b) => Math.abs(b.term) - Math.abs(a.term));
    const shown = terms.slice(0, largestTerms);
    const rest = terms.slice(largestTerms);
    const rows =
        shown.map(({d, term}) => [`q${d} · k${d}`, `${fixed(numbers.q[d], 2)} · ${fixed(k[d], 2)}`, fixed(term, 3)]);
    const others = rest.reduce((sum, {term}) => sum + term, 0);
    if (rest.length > 0) rows.push([app.t('steps_rest', {count: rest.length}), '', fixed(others, 3)]);
    rows.push([app.t('steps_sum'), '', fixed(numbers.dots[key], 3)]);
    const lines = rows.map(row => make('tr', row.map((text, i) => make(i === 0 ? 'th' : 'td', {text}))));
    return make('div.terms', [
      make('h4', app.t('steps_terms', {count: terms.length, word: this.word(key)})),
      make('table', [make('tbody', lines)])
    ]);
  }

  card3() {
    const {app} = this;
    const most = 2 * this.modelDivisor;
    this.slider = labelledSlider(
        app.t('steps_divisor'), [1, most.toFixed(1), 0.1], this.divisor, value => this.divide(value),
        value => fixed(value, 2));
    this.slider.input.dataset.focus = 'steps-divisor';
    this.markRoot(this.slider.input, (this.modelDivisor - 1) / (most - 1));
    const root = fixed(this.modelDivisor, 2);
    const reset = plainButton(app.t('steps_reset', {d_k: this.size, root}), () => this.divide(this.modelDivisor));
    this.scaling = make('div');
    const one = scaledSoftmax(this.numbers, 1).weights;
    const values = {
      d_k: this.size,
      root,
      one: fixed(Math.max(...one), 3),
      bits_one: fixed(entropyBits(one), 2),
      weight: fixed(Math.max(...this.model.weights), 3),
      bits: fixed(entropyBits(this.model.weights), 2)
    };
    const why = make('details', [
      make('summary', app.t('steps_why')), make('p', app.t('steps_why_answer', values)),
      make('p', app.t('steps_why_here', values))
    ]);
    why.open = this.whyOpen ?? true;
    why.addEventListener('toggle', () => this.whyOpen = why.open);
    return [
      formulaElement('s_{j} = q · k_{j} / √d_{k}'), this.slider.node, reset, this.scaling, this.note('steps_3_note'),
      why
    ];
  }

  markRoot(input, part) {
    const mark = make('small', {text: '√d_k', 'aria-hidden': 'true'});
    mark.style.insetInlineStart = `calc(8px + ${part} * (100% - 16px))`;
    const box = make('span.marked');
    input.replaceWith(box);
    box.append(input, mark);
  }

  // The slider's own steps rarely meet √d_k; close to it they count as √d_k.
  divide(divisor) {
    this.divisor = Math.abs(divisor - this.modelDivisor) < 0.1 ? this.modelDivisor : divisor;
    this.slider.show(this.divisor);
    this.follow();
  }

  card4() {
    const {app, numbers, chosen} = this;
    const count = numbers.masked.filter(Boolean).length;
    const {mixer, window} = chosen.part === 'cross' ? {} : app.head.layers[chosen.part][chosen.layer];
    const values = {count, all: numbers.masked.length, window};
    const key = mixer === 'window' ? 'steps_4_note_window' :
        chosen.part === 'decoder'  ? 'steps_4_note_decoder' :
                                     `steps_4_none_${chosen.part}`;
    const chips = numbers.masked.map((isMasked, j) => make('li', {class: isMasked ? 'masked' : ''}, [
                                       make('bdi', this.word(j)), make('span.number', isMasked ? '−∞' : '✓')
                                     ]));
    return [
      chosen.part === 'decoder' ? formulaElement('j > i:  s_{j} = −∞') : '',
      count > 0 ? make('ul.mask-chips', chips) : '', this.note(key, values)
    ];
  }

  card5() {
    this.softmax = make('div');
    return [formulaElement('a_{j} = e^{sⱼ} / Σ e^{s}'), this.softmax, this.note('steps_5_note')];
  }

  card6() {
    this.sum = make('div');
    return [
      formulaElement('z = Σ_{j} a_{j} v_{j}'), this.note('steps_6_note'), this.sum,
      this.note('steps_6_after', {heads: this.app.head.model.heads})
    ];
  }

  // Everything that depends on the divisor.
  follow() {
    this.now = scaledSoftmax(this.numbers, this.divisor);
    this.drawScaling();
    this.drawSoftmax();
    this.drawSum();
  }

  drawScaling() {
    const {app, now, numbers} = this;
    const open = now.scores.filter(Number.isFinite);
    const facts = [
      [app.t('steps_spread'), fixed(deviation(open), 3)], [app.t('steps_entropy'), fixed(entropyBits(now.weights), 3)],
      [app.t('steps_largest'), fixed(Math.max(...now.weights), 4)]
    ];
    const points = Array.from({length: 61}, (unused, i) => {
      const divisor = 1 + (2 * this.modelDivisor - 1) * i / 60;
      return [divisor, entropyBits(scaledSoftmax(numbers, divisor).weights)];
    });
    const marks = [{x: this.modelDivisor, series: 3, text: '√d_k'}];
    if (this.divisor !== this.modelDivisor) marks.push({x: this.divisor, series: 2, text: ''});
    const chart = lineChart(320, 120, {
      lines: [{points, series: 1}],
      x: [1, 2 * this.modelDivisor],
      y: [0, Math.max(1, Math.log2(open.length))],
      marks,
      label: app.t('steps_entropy_chart')
    });
    this.scaling.replaceChildren(make('dl.facts', factEntries(facts)), make('h4', app.t('steps_entropy_chart')), chart);
  }

  drawSoftmax() {
    const {app, now, numbers} = this;
    const rows = now.weights.map((weight, j) => {
      const shade = make('i.positive');
      shade.style.width = `${100 * weight}%`;
      return make('tr', {class: `${numbers.masked[j] ? 'masked' : ''} ${j === this.key ? 'chosen' : ''}`}, [
        make('th', {scope: 'row'}, [make('bdi', this.word(j))]), make('td', fixed(now.scores[j], 3)),
        make('td', fixed(now.powers[j], 5)), make('td.weight', [shade, make('span', fixed(weight, 6))])
      ]);
    });
    const cells = texts => make('tr', texts.map(text => make('th', text)));
    const total = list => list.reduce((sum, value) => sum + value, 0);
    const head = cells([app.t('steps_word'), 's', 'e^(s − max)', app.t('steps_weight')]);
    const table = make('table.softmax', [make('thead', [head]), make('tbody', rows)]);
    const sums =
        formulaElement(`Σ e^{s − max} = ${fixed(total(now.powers), 5)},  Σ a = ${fixed(total(now.weights), 6)}`);
    const box = make('div.scroll', {tabindex: '0', role: 'region', 'aria-label': app.t('steps_5')}, [table]);
    this.softmax.replaceChildren(box, sums, this.comparison());
  }

  comparison() {
    const {app, now, numbers} = this;
    if (this.divisor !== this.modelDivisor) return make('p.verdict.moved', app.t('steps_moved'));
    const difference = now.weights.reduce((most, weight, j) => Math.max(most, Math.abs(weight - numbers.row[j])), 0);
    const isEqual = difference <= equalWithin;
    return make('p', {
      class: `verdict ${isEqual ? 'equal' : 'unequal'}`,
      text:
          app.t(isEqual ? 'steps_equal' : 'steps_unequal', {difference: difference.toExponential(1).replace('-', '−')})
    });
  }

  drawSum() {
    const {app, now, numbers} = this;
    const sizes = now.weights.map((weight, j) => weight * Math.hypot(...numbers.value(j)));
    const all = sizes.reduce((sum, size) => sum + size, 0) || 1;
    const order = sizes.map((size, j) => j).sort((a, b) => sizes[b] - sizes[a]);
    const shares = order.slice(0, largestShares).map(j => [this.word(j), sizes[j] / all]);
    const others = order.slice(largestShares).filter(j => sizes[j] > 0);
    if (others.length > 0)
      shares.push([app.t('steps_others', {count: others.length}), others.reduce((sum, j) => sum + sizes[j], 0) / all]);
    const stack = make('div.stack', {'aria-hidden': 'true'}, shares.map(([name, share], i) => {
      const part = make('span', share > 0.12 ? name : '');
      const {background, ink} = app.weightColor(0.85 - 0.15 * i);
      Object.assign(part.style, {width: `${100 * share}%`, background, color: ink});
      return part;
    }));
    const rows =
        shares.map(([name, share]) => make('div.bar-row', barCells(name, share, `${fixed(100 * share, 1)} %`)));
    this.sum.replaceChildren(
        stack, make('div.bar-rows', rows), vectorBars(weightedSum(now.weights, numbers.value), 'z'));
  }

  // The walk: which card is told, from 0; -1 ends it.
  walk(card) {
    this.tour = card;
    this.update();
    if (card < 0) {
      focusNamed('steps-tell');
      return;
    }
    const told = document.getElementById(`step-${card + 1}`);
    told.scrollIntoView({block: 'nearest'});
    focusNamed(card < 5 ? 'steps-tell-next' : 'steps-tell-close');
    this.app.announce(told.querySelector('.teller p').textContent);
  }

  teller(n) {
    const {app, model, numbers} = this;
    const top = indexOfLargest(model.weights);
    const values = {
      query: isolated(this.sides.queries[this.query].label),
      d_k: this.size,
      d_v: this.chosen.value.shape[1],
      top: this.word(top),
      dot: fixed(numbers.dots[top], 2),
      root: fixed(this.modelDivisor, 2),
      one: fixed(Math.max(...scaledSoftmax(numbers, 1).weights), 3),
      weight: fixed(model.weights[top], 3),
      bits: fixed(entropyBits(model.weights), 2),
      count: numbers.masked.filter(Boolean).length,
      all: numbers.masked.length
    };
    const button = (name, card) =>
        plainButton(app.t(`steps_tell_${name}`), () => this.walk(card), {'data-focus': `steps-tell-${name}`});
    return make('div.teller', [
      make('p', app.t(`steps_${n}_tell`, values)),
      make(
          'div.view-controls',
          [n > 1 ? button('back', n - 2) : '', n < 6 ? button('next', n) : '', button('close', -1)])
    ]);
  }

  // ← → move the query; ↑ ↓ the key while the focus is on one.
  onKey(event) {
    if (/^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName) || !this.chosen) return;
    if (event.key === 'Escape' && this.tour >= 0) this.walk(-1);
    const onKeyRow = event.target.dataset.focus?.startsWith('steps-key:');
    const across = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    const along = onKeyRow ? {ArrowUp: -1, ArrowDown: 1}[event.key] : 0;
    if (!across && !along) {
      this.app.partKey(event);
      return;
    }
    event.preventDefault();
    const move = (at, step, count) => Math.max(0, Math.min(count - 1, at + step));
    if (along) {
      this.set({query: this.query, key: move(this.key, along, this.sides.keys.length)});
      focusNamed(`steps-key:${this.key}`);
      return;
    }
    this.set({query: move(this.query, across, this.sides.queries.length), key: -1});
    if (event.target.classList.contains('query-chip')) focusNamed(`steps-query:${this.query}`);
    const top = indexOfLargest(this.model.weights);
    this.app.announce(
        `${this.sides.queries[this.query].label}: ${this.word(top)} ${fixed(this.model.weights[top], 2)}`);
  }
}

{
  let view = null;
  look.view('steps', {mount: (root, app) => view = new StepsView(root, app), update: () => view.update()});
}
