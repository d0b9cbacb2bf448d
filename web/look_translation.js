// The Translation tab: each word of the translation with its probability, what else the model saw at that place, and
// the best hypotheses with the sum that ranks them.
'use strict';

function formatPercent(probability) {
  if (probability > 0 && probability < 0.001) return '< 0.1 %';
  return `${(100 * probability).toFixed(1)} %`;
}

function formatLog(value) {
  return value.toFixed(3).replace('-', '−');
}

function probabilityBar(probability) {
  const fill = make('i');
  fill.style.width = `${(100 * probability).toFixed(2)}%`;
  return make('span', {class: probability < 0.3 ? 'meter low' : 'meter', 'aria-hidden': 'true'}, [fill]);
}

// lp = ((5 + |Y|) / 6)^α with its numbers, as the search has it.
function penaltyFormula({length_penalty: kind, alpha}, length, penalty) {
  const base = kind === 'power' ? `${length}` : `((5 + ${length}) / 6)`;
  return `lp = ${base}^${alpha} = ${penalty.toFixed(3)}`;
}

const translationView = {
  mount(root, app) {
    this.words = make('div.panel.pane');
    this.choices = make('aside.panel.pane');
    this.best = make('div.panel.pane.wide');
    root.append(make('div.split', [this.words, this.choices, this.best]));
    root.addEventListener('keydown', event => this.onKey(event, app));
  },

  update(app) {
    const place = this.place(app);
    refill(
        this.words, make('h2', app.t('translation_words')), make('p.note', app.t('translation_words_note')),
        this.wordList(app, place));
    refill(this.choices, ...this.choiceList(app, place));
    if (this.shown !== app.sentence || !this.best.firstChild) refill(this.best, ...this.hypotheses(app));
    this.shown = app.sentence;
  },

  // The piece looked at: the selected one where the selection is in the target, else the least certain one.
  place(app) {
    const {part, query} = app.state;
    if (part !== 'encoder' && query >= 0) return query;
    const chances = app.sentence.piece_log_probabilities;
    return chances.indexOf(Math.min(...chances));
  },

  choose(app, place) {
    app.set({part: app.state.part === 'encoder' ? 'cross' : app.state.part, query: place});
    const {piece, probability} = app.sentence.choices[place][0] || {};
    if (piece !== undefined)
      app.announce(app.t('translation_says', {
        piece: shorten(pieceLabel(app.sentence.target.pieces[place])),
        p: formatPercent(Math.exp(app.sentence.piece_log_probabilities[place])),
        best: shorten(pieceLabel(piece)),
        q: formatPercent(probability)
      }));
  },

  onKey(event, app) {
    const step = {ArrowLeft: -1, ArrowRight: 1}[event.key];
    if (!step || !event.target.classList.contains('piece')) return;
    event.preventDefault();
    const place = Math.min(app.sentence.target.pieces.length - 1, Math.max(0, this.place(app) + step));
    this.choose(app, place);
    focusNamed(`piece:${place}`);
  },

  wordList(app, place) {
    const {target, piece_log_probabilities: logs} = app.sentence;
    const pieces = sidePieces(target);
    const words = groupWords(pieces).map(({first}, i, all) => {
      const end = i + 1 < all.length ? all[i + 1].first : pieces.length;
      const sum = logs.slice(first, end).reduce((a, b) => a + b, 0);
      const buttons = pieces.slice(first, end).map((piece, k) => this.pieceButton(app, piece, first + k, place));
      return make('li.word', [
        make('span.pieces', buttons), probabilityBar(Math.exp(sum)), make('span.figure', formatPercent(Math.exp(sum)))
      ]);
    });
    return make(
        'ol.words', {'aria-label': app.t('translation_list', {n: words.length}), lang: app.head.model.target_language},
        words);
  },

  pieceButton(app, {piece, label}, i, place) {
    const chance = formatPercent(Math.exp(app.sentence.piece_log_probabilities[i]));
    return make(
        'button.piece', {
          title: `${shorten(piece, 200)}  ${chance}`,
          'aria-pressed': String(i === place),
          'aria-label': `${shorten(label)} ${chance}`,
          'data-focus': `piece:${i}`,
          tabindex: i === place ? '0' : '-1',
          on: {click: () => this.choose(app, i)}
        },
        [make('bdi', shorten(label))]);
  },

  choiceList(app, place) {
    const {target, choices, piece_log_probabilities: logs} = app.sentence;
    const taken = target.pieces[place];
    const list = choices[place] || [];
    const row = ({piece, probability}) =>
        make('li', {class: piece === taken ? 'choice-row taken' : 'choice-row', title: shorten(piece, 200)}, [
          make('bdi.name', {text: shorten(pieceLabel(piece)), lang: app.head.model.target_language}),
          make('span.figure', formatPercent(probability)), probabilityBar(probability)
        ]);
    const rest = 1 - list.reduce((sum, choice) => sum + choice.probability, 0);
    const isListed = list.some(choice => choice.piece === taken);
    return [
      make('h2', app.t('translation_choices')),
      make('p.note', app.t('translation_choices_note', {i: place + 1, n: target.pieces.length})),
      make(
          'ol.choice-rows',
          [...list.map(row), ...(isListed ? [] : [row({piece: taken, probability: Math.exp(logs[place])})])]),
      make('p.note', rest > 5e-4 ? app.t('translation_rest', {p: formatPercent(rest)}) : app.t('translation_no_rest')),
      make('p.equation', `log p = ${formatLog(logs[place])}`),
    ];
  },

  hypotheses(app) {
    const {given, log_probability: log, score, n_best: best} = app.sentence;
    const {search} = app.head;
    const own =
        given ? [make('p.note', app.t('translation_given_score', {log: formatLog(log), score: formatLog(score)}))] : [];
    return [
      make('h2', app.t('translation_best')), make('p.note', app.t('translation_best_note', {
        beam: search.beam,
        lp: search.length_penalty === 'power' ? `|Y|^${search.alpha}` : `((5 + |Y|) / 6)^${search.alpha}`
      })),
      ...own, make('ol.hypotheses', best.map((hypothesis, i) => this.hypothesis(app, hypothesis, i)))
    ];
  },

  hypothesis(
      app, {text, pieces, piece_log_probabilities: logs, log_probability: log, length, penalty, score, finished}, i) {
    const lang = app.head.model.target_language;
    const chips = pieces.map((piece, k) => make('li.mini', {title: shorten(piece, 200)}, [
                               make('bdi', {text: shorten(pieceLabel(piece)), lang}),
                               make('span.figure', formatPercent(Math.exp(logs[k]))), probabilityBar(Math.exp(logs[k]))
                             ]));
    return make('li', [
      make('p.hypothesis', {text, lang, dir: 'auto'}),
      make(
          'p.equation',
          [
            make('span', `log P / lp = ${formatLog(log)} / ${penalty.toFixed(3)} = `), make('b', formatLog(score)),
            make('span.aside', penaltyFormula(app.head.search, length, penalty)),
            ...(finished ? [] : [make('span.aside.warn', app.t('translation_unfinished'))])
          ]),
      make(
          'details',
          [
            make('summary', {text: app.t('translation_pieces', {n: pieces.length}), 'data-focus': `best:${i}`}),
            make('ol.minis', chips)
          ])
    ]);
  },
};

look.view('translation', translationView);
