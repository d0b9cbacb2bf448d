// The Beam tab: the search as a tree that grows step by step, the candidates of each step with the arithmetic of their
// scores, and the finished translations in order.
'use strict';

class BeamView {
  constructor(root, app) {
    Object.assign(this, {root, app, all: false, selected: null, timer: 0});
    this.measurer = document.createElement('canvas').getContext('2d');
    this.measurer.font = '13px system-ui, sans-serif';
    new ResizeObserver(() => this.tree && this.draw()).observe(root);
  }

  build() {
    const {app} = this;
    this.stop();
    this.selected = null;
    this.sentence = app.sentence;
    const steps = app.sentence?.beam?.steps ?? [];
    if (steps.length === 0) {
      this.tree = null;
      this.root.replaceChildren(make('p.panel.view-panel', app.t('beam_none')));
      return;
    }
    this.levels = beamTree(steps);
    const [step, index] = app.sentence.beam.best ?? [];
    this.winner = new Set(beamPath(this.levels[step]?.[index]));
    this.step = this.levels.length - 1;
    this.tree = make('div.beam-tree', {role: 'group', 'aria-label': app.t('beam_tree')});
    this.tree.addEventListener('keydown', event => this.moveByKey(event));
    this.detail = make('div.beam-detail', {'aria-live': 'polite'});
    this.candidates = make('div.scroll.candidates', {tabindex: '0', role: 'region'});
    this.candidatesTitle = make('h3');
    this.results = make('ol.beam-results');
    this.resultsTitle = make('h3');
    this.resultsNote = make('p.note');
    this.hiddenNote = make('p.note');
    this.controlBox = make('div', [this.controls()]);
    const panel = (...children) => make('section.panel.view-panel', children);
    this.root.replaceChildren(make('div.view-body.beam-view', [
      panel(
          make('h3', app.t('beam_title')), make('p.note', this.tellSearch()), this.controlBox,
          make('div.beam-box', [this.tree]), this.hiddenNote, this.legend(), this.detail),
      make(
          'div.beam-lists',
          [panel(this.candidatesTitle, this.candidates), panel(this.resultsTitle, this.results, this.resultsNote)])
    ]));
    this.draw();
  }

  tellSearch() {
    const {beam, alpha, length_penalty: kind} = this.app.head.search;
    const formula = kind === 'power' ? `|Y|^${alpha}` : `((5 + |Y|) / 6)^${alpha}`;
    const parts = [this.app.t('beam_search', {beam, formula}), this.sentence.given ? this.app.t('beam_given') : ''];
    return parts.join(' ');
  }

  controls() {
    const {app} = this;
    const last = this.levels.length - 1;
    this.slider = labelledSlider(
        app.t('beam_step'), [1, last + 1, 1], this.step + 1, value => this.go(value - 1),
        value => `${value} / ${last + 1}`);
    this.play = plainButton(app.t('beam_play'), () => this.timer ? this.stop() : this.start());
    const options = [{value: false, label: app.t('beam_collapsed')}, {value: true, label: app.t('beam_expanded')}];
    const expand = radioGroup('beam-tree', app.t('beam_show'), options, this.all, value => {
      this.all = value;
      refill(this.controlBox, this.controls());
      this.draw();
    });
    return make('div.view-controls', [
      this.play, plainButton('‹', () => this.go(this.step - 1), {'aria-label': app.t('beam_back')}), this.slider.node,
      plainButton('›', () => this.go(this.step + 1), {'aria-label': app.t('beam_next')}), expand
    ]);
  }

  legend() {
    const entries = ['best', 'live', 'ended', 'dropped', 'pruned'].map(
        name => make(
            'span',
            [make('i', {class: `sample-chip ${name}`, 'aria-hidden': 'true'}), this.app.t(`beam_legend_${name}`)]));
    return make('p.note.beam-legend', [...entries, this.app.t('beam_pick')]);
  }

  start() {
    if (this.step === this.levels.length - 1) this.go(0);
    this.timer = setInterval(() => {
      const gone = this.app.state.tab !== 'beam' || !this.root.isConnected;
      const done = gone || this.step >= this.levels.length - 1;
      if (done)
        this.stop();
      else
        this.go(this.step + 1, true);
    }, 900);
    this.play.textContent = this.app.t('beam_stop');
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    if (this.play) this.play.textContent = this.app.t('beam_play');
  }

  go(step, playing = false) {
    if (!playing) this.stop();
    this.step = Math.max(0, Math.min(this.levels.length - 1, step));
    this.selected = null;
    this.slider.show(this.step + 1);
    this.draw();
  }

  draw() {
    this.drawTree();
    this.drawDetail();
    this.drawCandidates();
    this.drawResults();
  }

  drawTree() {
    const box = this.tree.parentNode;
    const narrow = box.clientWidth < beamNarrow;
    const columns = beamColumns(this.levels, this.step, {all: this.all, narrow});
    const layout = this.fit(columns, narrow, box.clientWidth - 8);
    this.columns = layout.placed;
    this.hiddenNote.textContent = this.tellHidden();
    const edges = makeSvg('svg', {width: layout.width, height: layout.height, 'aria-hidden': 'true'});
    const start = narrow ? {x: layout.width / 2 - 20, y: 0, width: 40} : {x: 0, y: 0, width: this.chipWidth([], 0)};
    const ends = new Map(this.columns.flat().map(chip => [chip.run[chip.run.length - 1], chip]));
    const root = make('span.beam-chip.start', '<s>');
    placeChip(root, start);
    const chips = this.columns.flat().map(chip => {
      edges.append(this.edge(chip.run[0].from ? ends.get(chip.run[0].from) : start, chip, narrow));
      return this.chip(chip);
    });
    Object.assign(this.tree.style, {width: `${layout.width}px`, height: `${layout.height}px`});
    this.tree.replaceChildren(edges, root, ...chips);
    this.chipNodes = chips;
    this.markSelected();
    if (narrow)
      box.scrollTop = box.scrollHeight;
    else
      box.scrollLeft = box.scrollWidth;
  }

  // What the tree leaves out: beginnings that lead to nothing that is still there, and pruned candidates.
  tellHidden() {
    const drawn = new Set(this.columns.flat().flatMap(chip => chip.run));
    const hidden = this.levels.slice(0, this.step + 1).flat().filter(node => !drawn.has(node));
    const pruned = hidden.filter(node => node.state === 'pruned').length;
    const values = {kept: hidden.length - pruned, pruned};
    if (hidden.length === 0) return '';
    return this.app.t(hidden.length > pruned ? 'beam_hidden' : 'beam_hidden_pruned', values);
  }

  // Wide runs and gaps where they fit, narrow ones where they do not.
  fit(columns, narrow, width) {
    const [least, most] = beamGap;
    for (const limit of beamRunLimits) {
      const measure = run => this.chipWidth(run, limit);
      const tight = beamLayout(columns, {narrow, width, measure, gap: least});
      if (tight.width > width && limit !== beamRunLimits[1]) continue;
      const gap = Math.floor(Math.min(most, Math.max(least, least + (width - tight.width) / columns.length)));
      return beamLayout(columns, {narrow, width, measure, gap});
    }
  }

  // Of an empty run: the width of the start.
  chipWidth(run, limit) {
    const text = run.length === 0 ? '<s>' : runText(run).slice(0, 100);
    const count = run.length > 1 ? 34 : 0;
    const frame = this.winner.has(run[0]) || run[0]?.state === 'ended' ? 34 : 22;
    const wanted = this.measurer.measureText(text).width + frame + count;
    return Math.round(Math.min(run.length > 1 ? limit : beamChipLimit, Math.max(36, wanted)));
  }

  // The edge is as wide as the first piece of the chip was likely.
  edge(from, chip, narrow) {
    const node = chip.run[0];
    const [x1, y1] = narrow ? [from.x + from.width / 2, from.y + 26] : [from.x + from.width, from.y + 13];
    const [x2, y2] = narrow ? [chip.x + chip.width / 2, chip.y] : [chip.x, chip.y + 13];
    const [cx, cy] = [(x1 + x2) / 2, (y1 + y2) / 2];
    const bend = narrow ? `${x1} ${cy} ${x2} ${cy}` : `${cx} ${y1} ${cx} ${y2}`;
    return makeSvg('path', {
      class: `edge ${this.chipState(chip)}`,
      d: `M${x1} ${y1}C${bend} ${x2} ${y2}`,
      'stroke-width': (0.75 + 4 * Math.exp(node.log_probability)).toFixed(2)
    });
  }

  chipState({run}) {
    const last = run[run.length - 1];
    return `${last.state}${this.winner.has(last) ? ' best' : ''}`;
  }

  chip(chip) {
    const last = chip.run[chip.run.length - 1];
    const text = runText(chip.run);
    const node = make(
        'button', {
          class: `beam-chip ${this.chipState(chip)}`,
          tabindex: '-1',
          title: `${shorten(text, 200)}  ${fixed(last.score, 3)}`,
          on: {click: () => this.select(last), focus: () => this.select(last)}
        },
        [make('bdi', text)]);
    if (chip.run.length > 1) node.append(make('span.count', `× ${chip.run.length}`));
    placeChip(node, chip);
    node.shown = last;
    return node;
  }

  // Arrows lead to the parent, to the best child and to the neighbours of the same step.
  moveByKey(event) {
    const narrow = this.tree.parentNode.clientWidth < beamNarrow;
    const key = narrow ?
        {ArrowUp: 'ArrowLeft', ArrowDown: 'ArrowRight', ArrowLeft: 'ArrowUp', ArrowRight: 'ArrowDown'}[event.key] :
        event.key;
    const column = this.columns.findIndex(chips => chips.some(chip => chip.run.includes(this.selected)));
    if (column < 0 || !key?.startsWith('Arrow')) return;
    event.preventDefault();
    event.stopPropagation();
    const lane = this.columns[column].findIndex(chip => chip.run.includes(this.selected));
    const {run} = this.columns[column][lane];
    const find = (chips, test) => chips?.find(chip => test(chip.run));
    const to = {
      ArrowLeft: find(this.columns[column - 1], other => other.includes(run[0].from)),
      ArrowRight: find(this.columns[column + 1], other => other[0].from === run[run.length - 1]),
      ArrowUp: this.columns[column][lane - 1],
      ArrowDown: this.columns[column][lane + 1]
    }[key];
    if (to) this.chipNodes.find(node => node.shown === to.run[to.run.length - 1]).focus();
  }

  select(node) {
    if (this.selected === node) return;
    this.selected = node;
    this.markSelected();
    this.drawDetail();
    this.drawCandidates();
    if (!this.tree.contains(document.activeElement)) this.detail.scrollIntoView({block: 'nearest'});
  }

  markSelected() {
    const shown = this.shownNode();
    const line = new Set(this.selected ? beamPath(this.selected) : []);
    for (const node of this.chipNodes) {
      node.classList.toggle('selected', node.shown === this.selected);
      node.classList.toggle('in-line', line.has(node.shown));
      node.tabIndex = node.shown === shown ? 0 : -1;
    }
  }

  // Before anything is chosen: the winner as far as it has come by this step.
  shownNode() {
    const path = [...this.winner].filter(node => node.step <= this.step);
    return this.selected ?? path[path.length - 1] ?? this.levels[this.step][0];
  }

  drawDetail() {
    const {app} = this;
    const node = this.shownNode();
    const text = beamText(node) || '<s>';
    const values = {
      piece: fixed(node.log_probability, 3),
      sum: fixed(node.sum, 3),
      count: node.step + 1,
      probability: formatPercent(Math.exp(node.log_probability))
    };
    this.detail.replaceChildren(
        make('p.beam-text', [make('bdi', text)]),
        make('p.formula', this.arithmetic(node.sum, node.step + 1, node.score)),
        make('p', app.t('beam_detail', values)), make('p.why', this.why(node)));
  }

  arithmetic(sum, length, score) {
    const penalty = lengthPenalty(length, this.app.head.search);
    return `${fixed(sum, 3)} / ${fixed(penalty, 3)} = ${fixed(score, 3)}`;
  }

  why(node) {
    const {app} = this;
    const level = this.levels[node.step];
    const kept = level.filter(each => each.state !== 'pruned');
    const results = this.sentence.n_best;
    const own = fixed(node.score, 3);
    const compared = (key, count, worst) =>
        app.t(key, {kept: count, worst: fixed(worst, 3), own, gap: fixed(worst - node.score, 3), step: node.step + 1});
    if (node.state === 'pruned')
      return compared('beam_why_pruned', kept.length, Math.min(...kept.map(each => each.score)));
    const rank = results.indexOf(this.resultOf(node)) + 1;
    if (rank === 1 || node === [...this.winner].pop()) return app.t('beam_why_best', {count: results.length});
    if (rank > 1) return app.t('beam_why_ended', {rank, count: results.length, own});
    if (node.state !== 'live')
      return compared('beam_why_dropped', results.length, Math.min(...results.map(each => each.score)));
    if (node.step === this.levels.length - 1) return app.t('beam_why_open', {own});
    if (!node.children.some(child => child.state !== 'pruned')) return app.t('beam_why_dead', {step: node.step + 2});
    return app.t('beam_why_live', {rank: kept.indexOf(node) + 1, kept: kept.length});
  }

  // The entry of the n-best list that a node is the end of: in </s>, or at the length limit.
  resultOf(node) {
    const isFinished = node.piece === '</s>';
    const key = beamPath(node).map(each => each.piece).slice(0, isFinished ? -1 : undefined).join('\n');
    return this.sentence.n_best.find(entry => entry.finished === isFinished && entry.pieces.join('\n') === key);
  }

  // What has finished by this step, best first; after the last one the n-best list, cut off ones too.
  resultsSoFar() {
    const nodes = this.levels.slice(0, this.step + 1).flat();
    if (this.step === this.levels.length - 1)
      return this.sentence.n_best.map(
          entry => ({...entry, sum: entry.log_probability, node: nodes.find(node => this.resultOf(node) === entry)}));
    return nodes.filter(({state}) => state === 'ended')
        .map(node => ({...node, node, text: beamText(node), length: node.step + 1, finished: true}))
        .sort((a, b) => b.score - a.score);
  }

  drawCandidates() {
    const {app} = this;
    const shown = this.shownNode();
    // The end of the search has little to choose from: until something is picked, the winner's last step.
    const isWhole = this.selected || this.step === this.levels.length - 1;
    const step = isWhole ? shown.step : this.step;
    const level = this.levels[step];
    const cell = (tag, text, name = '') => make(tag, {class: name, text});
    const head = ['beam_candidate', 'beam_log_p', 'beam_sum', 'beam_score', 'beam_state'];
    const rows = level.map(node => {
      const before = beamText(node.from);
      const pick = plainButton(
          '', () => this.select(node), {class: 'bare candidate', 'data-focus': `candidate:${node.step}:${node.index}`});
      pick.append(
          make('bdi.quiet', before.length > 22 ? `…${before.slice(-20).trim()}` : before),
          make('bdi.last-piece', node.piece.replace(/^▁/, ' ')));
      const marks = `${node.state}${this.winner.has(node) ? ' best' : ''}${node === shown ? ' selected' : ''}`;
      return make('tr', {class: marks}, [
        make('th', {scope: 'row'}, [pick]), cell('td', fixed(node.log_probability, 3)), cell('td', fixed(node.sum, 3)),
        cell('td', fixed(node.score, 3)), cell('td', app.t(`beam_state_${node.state}`), 'state')
      ]);
    });
    this.candidatesTitle.textContent = app.t('beam_candidates', {step: step + 1});
    this.candidates.setAttribute('aria-label', this.candidatesTitle.textContent);
    refill(
        this.candidates,
        make('table', [make('thead', [make('tr', head.map(name => cell('th', app.t(name))))]), make('tbody', rows)]));
  }

  drawResults() {
    const {app} = this;
    const last = this.step === this.levels.length - 1;
    const ended = this.resultsSoFar();
    this.resultsTitle.textContent = app.t(last ? 'beam_results' : 'beam_results_so_far', {count: ended.length});
    this.results.replaceChildren(...ended.map(({node, text, sum, length, score, finished}, i) => {
      const bar = make('i.score-bar', {'aria-hidden': 'true'});
      bar.style.width = `${100 * Math.exp(score - ended[0].score)}%`;
      const pick = plainButton('', () => this.select(node), {class: 'bare', disabled: !node});
      pick.append(
          make('bdi', text || '</s>'), bar, make('span.formula', this.arithmetic(sum, length, score)),
          finished ? '' : make('span.warn', app.t('translation_unfinished')));
      return make('li', {class: i === 0 ? 'best' : ''}, [pick]);
    }));
    this.resultsNote.textContent = this.tellResults(ended);
  }

  tellResults(ended) {
    if (ended.length === 0) return this.app.t('beam_results_none');
    const likeliest = ended.reduce((best, node) => node.sum > best.sum ? node : best);
    const bars = this.app.t('beam_results_bars');
    if (likeliest === ended[0]) return bars;
    const text = shorten(likeliest.text, 80);
    return `${bars} ${this.app.t('beam_results_penalty', {text: `\u2068${text}\u2069`})}`;
  }
}

function placeChip(node, {x, y, width}) {
  Object.assign(node.style, {left: `${x}px`, top: `${y}px`, width: `${width}px`});
}

{
  let view = null;
  look.view('beam', {
    mount: (root, app) => view = new BeamView(root, app),
    update: app => {
      if (view.sentence !== app.sentence) view.build();
    }
  });
}
