// The Attention tab: one table of weights in four representations, with the controls and the figures of the selected
// word beside it.
'use strict';

const attentionStyles = {
  reading: makeReading,
  matrix: makeMatrix,
  lines: makeLines,
  heads: makeHeads
};
const legendTicks = [0, 0.01, 0.1, 0.25, 0.5, 1];

const attentionView = {
  mount(root, app) {
    this.app = app;
    this.styleBox = make('div.toolbar');
    this.stageBox = make('div.stage');
    this.noteBox = make('div.stage-notes');
    this.controlBox = make('aside.panel.pane.controls', {'aria-label': app.t('attention_controls')});
    this.figureBox = make('aside.panel.pane.figures-box', {'aria-label': app.t('attention_figures')});
    this.numberBox = this.numberDetails();
    this.representation = null;
    this.painted = null;
    root.append(make('div.split.attention', [
      this.controlBox, make('div.panel.pane.main-view', [this.styleBox, this.stageBox, this.noteBox, this.numberBox]),
      this.figureBox
    ]));
    root.addEventListener('keydown', event => this.onKey(event));
  },

  resize(app) {
    this.painted = null;
    this.update(app);
  },

  onKey(event) {
    const {app} = this;
    if (event.key === 'Escape') app.set({query: -1, key: -1});
    if (!app.partKey(event)) return;
    app.announce(this.choiceName());
  },

  // What the table holds depends on these; what is built of words on the first of them only.
  signatures({sentence, part, unit, trim, style, layer, head, attribution, scale, order}) {
    return {
      words: [sentence, part, style, ...(style === 'heads' ? [order, scale] : [unit])].join(),
      values: [sentence, part, unit, style, trim, layer, head, attribution, scale].join()
    };
  },

  update(app) {
    const {state} = app;
    const now = this.signatures(state);
    const before = this.painted || {};
    const same = before.values === now.values;
    if (!same) this.table = attentionTable(app.numbers, app.sentence, state);
    this.hovered = null;
    refill(this.styleBox, this.styleChoice(), this.legend());
    refill(this.controlBox, ...this.controls());
    this.showChosen();
    refill(this.noteBox, ...this.notes());
    this.painted = now;
    if (!this.table && state.style !== 'heads') return this.showNothing();
    if (before.words !== now.words || !this.representation) this.build();
    this.paint(!same);
    this.showNumbers();
  },

  // Rows of choices scroll on a phone.
  showChosen() {
    for (const choice of this.controlBox.querySelectorAll('[aria-checked="true"]')) {
      const row = choice.parentNode;
      row.scrollLeft = choice.offsetLeft - row.offsetLeft - row.clientWidth / 2;
    }
  },

  build() {
    const {app} = this;
    if (this.builtStyle !== app.state.style || !this.representation) {
      this.stageBox.replaceChildren();
      this.representation = attentionStyles[app.state.style](this.stageBox, this.stage());
      this.builtStyle = app.state.style;
    }
    this.representation.build(this.table);
  },

  showNothing() {
    const {app} = this;
    const {part, layer} = app.state;
    const isRecurrent = app.head.layers[part === 'encoder' ? 'encoder' : 'decoder'][layer]?.mixer === 'ssru';
    this.representation = null;
    this.painted = null;
    this.numberBox.hidden = true;
    this.stageBox.replaceChildren(make('div.empty', [
      make('p', app.t('attention_no_map')),
      ...(isRecurrent ? [formulaElement('c_{t} = f_{t} ∘ c_{t−1} + (1 − f_{t}) ∘ x̃_{t}')] : []),
      make('p', app.t(isRecurrent ? 'attention_none_ssru' : 'attention_none'))
    ]));
    this.figureBox.hidden = true;
  },

  paint(changed = false) {
    const selection = this.selection();
    this.representation.paint(this.table, selection, changed);
    this.figureBox.hidden = false;
    refill(this.figureBox, ...selectionFigures(this.app, this.table, selection, this.choiceName()));
  },

  // What a representation may ask and tell.
  stage() {
    const {app} = this;
    const toPiece = (side, index) =>
        (index < 0 ? -1 : (side === 'query' ? this.table.queries : this.table.keys)[index].first);
    return {
      app,
      shade: weight => app.weightColor(app.state.scale === 'linear' ? weight : Math.sqrt(weight)),
      summary: () => this.summary(this.selection()),
      choose: (side, index) => {
        const isChosen = this.chosen()[side] === index;
        app.set({[side]: isChosen ? -1 : toPiece(side, index)});
        app.announce(this.summary(this.chosen()));
      },
      chooseCell: ({query, key}) => {
        app.set({query: toPiece('query', query), key: toPiece('key', key)});
        app.announce(this.summary(this.chosen()));
      },
      hover: (side, index) => this.hover(index < 0 ? null : {query: -1, key: -1, [side]: index}),
      hoverCell: place => this.hover(place && (place.query >= 0 || place.key >= 0) ? place : null),
    };
  },

  chosen() {
    const {query, key} = this.app.state;
    if (!this.table) return {query: -1, key: -1};
    return {query: indexOfPiece(this.table.queries, query), key: indexOfPiece(this.table.keys, key)};
  },

  selection() {
    return this.hovered || this.chosen();
  },

  // A mouse over a word shows it until it leaves; drawn once a frame at most.
  hover(place) {
    const same = JSON.stringify(place) === JSON.stringify(this.hovered);
    this.hovered = place;
    if (same || this.waiting) return;
    this.waiting = requestAnimationFrame(() => {
      this.waiting = 0;
      if (this.representation && this.app.state.tab === 'attention') this.paint();
    });
  },

  choiceName() {
    const {app} = this;
    const {part, layer, head, attribution} = app.state;
    const name = app.t(`attention_part_${part}`);
    if (attribution === 'rollout') return `${name}, ${app.t('attention_rollout')}`;
    const count = (key, value) =>
        (value === 'mean' ? app.t(`attention_${key}_mean`) : app.t(`attention_${key}_n`, {n: value + 1}));
    return [name, count('layer', layer), count('head', head)].join(', ');
  },

  // "'사과' looks at 'apples' 0.81, 'three' 0.08; entropy 0.9 bits"
  summary({query, key}) {
    const {app, table} = this;
    if (query < 0 && key < 0) return `${this.choiceName()}. ${app.t('attention_pick')}`;
    const tell = (weights, items) => largest(weights, items, 3)
                                         .map(({weight, item}) => `“${shorten(item.label)}” ${formatWeight(weight)}`)
                                         .join(', ');
    if (query >= 0 && key >= 0)
      return `“${shorten(table.queries[query].label)}” → “${shorten(table.keys[key].label)}” ${
          pairText(app, table, query, key)}`;
    if (query >= 0) {
      const row = rowOf(table, query);
      return app.t(
          'attention_says',
          {word: shorten(table.queries[query].label), list: tell(row, table.keys), bits: entropyBits(row).toFixed(2)});
    }
    return app.t(
        'attention_says_key', {word: shorten(table.keys[key].label), list: tell(columnOf(table, key), table.queries)});
  },

  styleChoice() {
    const {app} = this;
    const options = Object.keys(attentionStyles).map(value => ({value, label: app.t(`attention_style_${value}`)}));
    return radioGroup('style', app.t('attention_style'), options, app.state.style, style => app.set({style}));
  },

  // The ramp with true weights at their places.
  legend() {
    const {app} = this;
    const bend = app.state.scale === 'linear' ? weight => weight : Math.sqrt;
    const ramp = make('span.ramp');
    ramp.style.background = `linear-gradient(to right, ${app.colors().weight.join(', ')})`;
    const ticks = legendTicks.filter(tick => app.state.scale !== 'linear' || tick === 0 || tick >= 0.25).map(tick => {
      const node = make('span.tick', String(tick));
      node.style.left = `${100 * bend(tick)}%`;
      return node;
    });
    return make('div.legend', {'aria-hidden': 'true'}, [ramp, ...ticks]);
  },

  controls() {
    const {app} = this;
    const {part, layer, head, unit, scale, trim, attribution} = app.state;
    const isRollout = attribution === 'rollout';
    const field = (name, group) =>
        make('div.field', [make('span.field-name', {text: name, 'aria-hidden': 'true'}), group]);
    const radio = (name, options, value, choose) =>
        field(app.t(`attention_${name}`), radioGroup(name, app.t(`attention_${name}`), options, value, choose));
    const named = (prefix, values) => values.map(value => ({value, label: app.t(`attention_${prefix}_${value}`)}));
    const numbered = (count, noteOf) =>
        Array.from({length: count}, (unused, i) => ({value: i, label: String(i + 1), title: noteOf?.(i)}));
    const mean = {value: 'mean', label: app.t('attention_mean')};
    const maps = app.sentence.maps[part];
    const layers = numbered(maps.length, i => (maps[i] ? undefined : app.t('attention_no_map')));
    const rollout = {
      value: 'rollout',
      label: app.t('attention_rollout'),
      disabled: part === 'encoder',
      title: app.t('attention_rollout_note')
    };
    const chooseLayer = value =>
        app.set(value === 'rollout' ? {attribution: 'rollout'} : {layer: value, attribution: 'raw'});
    const heads = app.headCount(part, layer);
    return [
      radio('part', named('part', ['encoder', 'decoder', 'cross']), part, value => app.set({part: value})),
      radio('layer', [...layers, mean, rollout], isRollout ? 'rollout' : layer, chooseLayer),
      radio(
          'head', [...numbered(heads), mean].map(option => ({...option, disabled: isRollout})), isRollout ? null : head,
          value => app.set({head: value})),
      this.options([
        radio('unit', named('unit', ['pieces', 'words']), unit, value => app.set({unit: value})),
        radio('scale', named('scale', ['sqrt', 'linear']), scale, value => app.set({scale: value})),
        checkbox('trim', app.t('attention_trim'), trim, value => app.set({trim: value})),
      ]),
    ];
  },

  // What is changed less often; closed at first.
  options(fields) {
    const summary = make('summary', {text: this.app.t('attention_options'), 'data-focus': 'options'});
    const details = make(
        'details.options', {open: this.optionsOpen, on: {toggle: () => this.optionsOpen = details.open}},
        [summary, ...fields]);
    return details;
  },

  notes() {
    const {app} = this;
    const {part, unit, trim, attribution, style} = app.state;
    if (style === 'heads' || !this.table) return [];
    const isRollout = attribution === 'rollout';
    const keys = [
      isRollout              ? 'attention_rollout_note' :
          part === 'decoder' ? 'attention_decoder_note' :
                               null,
      isRollout && !trim ? `attention_rollout_${part}` : null, unit === 'words' ? 'attention_words_note' : null,
      trim ? 'attention_trim_note' : null
    ];
    return keys.filter(Boolean).map(key => make('p.note', app.t(key)));
  },

  numberDetails() {
    const {app} = this;
    this.numberTable = make('div.scroll', {tabindex: '0', role: 'region', 'aria-label': app.t('attention_numbers')});
    const save = make('button', {text: app.t('csv'), on: {click: () => this.save()}});
    return make(
        'details.numbers', {on: {toggle: () => this.showNumbers()}},
        [make('summary', app.t('attention_numbers')), make('p.toolbar', [save]), this.numberTable]);
  },

  // The selected row or column, or all: built only while it is open.
  showNumbers() {
    const {app, table} = this;
    this.numberBox.hidden = !table || app.state.style === 'heads';
    if (!this.numberBox.open || this.numberBox.hidden) return;
    const {query, key} = this.chosen();
    const digits = weight => weight.toFixed(6);
    if (query >= 0)
      this.numberTable.replaceChildren(makeTable(
          [app.t('attention_key_word'), table.queries[query].label],
          table.keys.map((item, j) => [item.label, digits(rowOf(table, query)[j])])));
    else if (key >= 0)
      this.numberTable.replaceChildren(makeTable(
          [app.t('attention_query_word'), table.keys[key].label],
          table.queries.map((item, i) => [item.label, digits(columnOf(table, key)[i])])));
    else
      this.numberTable.replaceChildren(makeTable(...this.allNumbers(digits)));
  },

  allNumbers(write) {
    const {queries, keys} = this.table;
    return [
      ['', ...keys.map(item => item.label)],
      queries.map((item, i) => [item.label, ...Array.from(rowOf(this.table, i), write)])
    ];
  },

  save() {
    const {part, layer, head, attribution} = this.app.state;
    const count = value => (value === 'mean' ? value : value + 1);
    const name = attribution === 'rollout' ? `rollout-${part}` : `attention-${part}-${count(layer)}-${count(head)}`;
    const [head_, rows] = this.allNumbers(String);
    saveCsv(`${name}.csv`, [head_, ...rows]);
  },
};

look.view('attention', attentionView);
