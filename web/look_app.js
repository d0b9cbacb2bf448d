// The shell of the explorer: header, sentences, tabs, language, theme and help. Views register
// with look.view(name, {mount(root, app), update(app)}).
'use strict';

const darkMedia = '(prefers-color-scheme: dark)';

// Whether a letter is a command and not part of a text or a shortcut.
function isPlainKey({ctrlKey, metaKey, altKey, target}) {
  return !ctrlKey && !metaKey && !altKey && !/^(INPUT|SELECT|TEXTAREA)$/.test(target.tagName);
}

const helpKeys = {
  arrows: '← →',
  updown: '↑ ↓',
  enter: 'Enter',
  escape: 'Esc',
  layer: 'l  L',
  head: 'h  H',
  part: 'e  d  c',
  mean: 'm',
  text: '/',
  help: '?'
};

const look = {
  views: {},
  state: {...defaultState},
  mounted: {},

  view(name, view) {
    this.views[name] = view;
  },

  start() {
    this.head = JSON.parse(document.getElementById('look-head').textContent);
    const {lang, theme, ...changes} = readAddress(location.hash);
    this.language = lookStrings[lang] ? lang : this.firstLanguage();
    this.setTheme(theme || remembered('theme') || 'auto');
    this.isFresh = isGeneral(changes);
    Object.assign(this.state, changes);
    this.mend();
    this.begin();
    window.addEventListener('hashchange', () => this.followAddress());
    window.matchMedia(darkMedia).addEventListener('change', () => this.restart());
    document.addEventListener('keydown', event => this.onKey(event));
    window.addEventListener('resize', () => this.views[this.state.tab]?.resize?.(this));
    this.restart();
  },

  firstLanguage() {
    const kept = remembered('language');
    if (lookStrings[kept]) return kept;
    return (navigator.language || '').startsWith('ko') ? 'ko' : 'en';
  },

  followAddress() {
    const {lang, theme, ...changes} = readAddress(location.hash);
    this.set({...defaultState, ...changes});
    this.isFresh = isGeneral(changes);
    if (this.isFresh) this.set({});
  },

  // Whoever opens Attention without having chosen anything begins where there is something to see.
  begin() {
    const {state} = this;
    if (!this.isFresh || state.tab !== 'attention' || !this.sentence) return;
    this.isFresh = false;
    state.layer = Math.max(0, this.sentence.maps.cross.length - 2);
    state.query = this.tellingQuery();
  },

  tellingQuery() {
    return tellingQuery(this.numbers, this.sentence, this.state.part, this.state.layer);
  },

  get sentence() {
    return this.head.sentences[this.state.sentence];
  },

  get tabs() {
    const hasSentence = this.head.sentences.length > 0;
    return tabNames.filter(name => this.views[name] && (hasSentence || name === 'positions'));
  },

  get numbers() {
    this.decoded ??= decodeNumbers(document.getElementById('look-numbers').textContent);
    return this.decoded;
  },

  block(block) {
    return blockOf(this.numbers, block);
  },

  // Whatever the address said, the state names things that are there.
  mend() {
    const {state} = this;
    for (const [name, values] of Object.entries(allowedValues)) {
      if (!values.includes(state[name])) state[name] = values[0];
    }
    if (!this.tabs.includes(state.tab)) state.tab = this.tabs[0];
    if (!this.sentence) state.sentence = 0;
    if (!this.sentence) return;
    const isIndex = (value, count) => Number.isInteger(value) && value >= 0 && value < count;
    if (!isIndex(state.layer, this.sentence.maps[state.part].length)) state.layer = 'mean';
    if (!isIndex(state.head, this.headCount(state.part, state.layer))) state.head = 'mean';
    if (state.part === 'encoder') state.attribution = 'raw';
    const source = this.sentence.source.pieces.length;
    const target = this.sentence.target.pieces.length;
    if (!isIndex(state.query, state.part === 'encoder' ? source : target)) state.query = -1;
    if (!isIndex(state.key, state.part === 'decoder' ? target : source)) state.key = -1;
  },

  // Heads of a layer, or with 'mean' the most that any layer of the part has.
  headCount(part, layer) {
    const counts = this.sentence.maps[part].map(block => (block ? block.shape[0] : 0));
    return layer === 'mean' ? Math.max(0, ...counts) : counts[layer];
  },

  set(changes) {
    const before = {...this.state};
    const moved = changes.sentence !== undefined && changes.sentence !== before.sentence;
    const turned = changes.part !== undefined && changes.part !== before.part;
    if (moved || turned) Object.assign(this.state, {query: -1, key: -1});
    this.isFresh &&= isGeneral(changes);
    Object.assign(this.state, changes);
    this.mend();
    this.begin();
    if ((moved || turned) && before.query >= 0 && this.state.query < 0) this.state.query = this.tellingQuery();
    try {
      history.replaceState(null, '', writeAddress(this.state));
    } catch {
      // Some viewers of saved pages forbid it; the page works without an address.
    }
    if (before.sentence !== this.state.sentence) this.showPair();
    if (before.tab !== this.state.tab) this.showTabs();
    this.update();
  },

  t(key, values = {}) {
    const [, group, name] = key.match(/^([^_]*)_?(.*)/);
    const find = strings => strings[key] ?? strings[group]?.[name];
    const text = find(lookStrings[this.language]) ?? find(lookStrings.en) ?? key;
    return text.replace(/\{(\w+)\}/g, (all, name) => (name in values ? String(values[name]) : all));
  },

  announce(text) {
    document.getElementById('announcement').textContent = text;
  },

  // The dark colours stand in media queries; the switch turns these on, off or back to the system's choice.
  setTheme(theme) {
    this.theme = ['light', 'dark'].includes(theme) ? theme : 'auto';
    const condition = {auto: darkMedia, dark: 'all', light: 'not all'}[this.theme];
    this.darkRules ??= Array.from(document.styleSheets)
                           .flatMap(sheet => Array.from(sheet.cssRules))
                           .filter(rule => rule.media?.mediaText === darkMedia);
    for (const rule of this.darkRules) rule.media.mediaText = condition;
    document.documentElement.style.colorScheme = this.theme === 'auto' ? 'light dark' : this.theme;
    this.palette = null;
  },

  // The current theme's colours: page, panel, ink, quiet, line, grid, accent, good, warn, weight[5], signed[3],
  // series[4].
  colors() {
    this.palette ??= readPalette();
    return this.palette;
  },

  // {background, ink}: the shade of a weight in 0…1 and the colour of text on it.
  weightColor(weight) {
    const {shades} = this.colors();
    return shades[Math.round(Math.min(1, Math.max(0, weight || 0)) * (shades.length - 1))];
  },

  // Everything is made again: after a change of language or theme.
  restart() {
    this.palette = null;
    this.mounted = {};
    document.documentElement.lang = this.language;
    this.showHeader();
    this.showPair();
    document.getElementById('panels').replaceChildren();
    this.showTabs();
    this.update();
  },

  showHeader() {
    const {model} = this.head;
    const pair = model && [model.source_language, model.target_language].filter(Boolean);
    const facts = model ?
        [
          model.name, pair.map(code => this.languageName(code)).join(' → '),
          this.t('parameters', {n: model.parameters.toLocaleString('en')})
        ] :
        [this.t('no_model')];
    document.getElementById('model').textContent = facts.filter(Boolean).join(' · ');
    document.title = ['heed look', ...facts.slice(0, 2)].filter(Boolean).join(' · ');
    refill(document.getElementById('settings'), this.languageSwitch(), this.themeSwitch(), make('button.round', {
             text: '?',
             'aria-label': this.t('help'),
             title: this.t('help'),
             'data-focus': 'help',
             on: {click: () => this.showHelp()}
           }));
    document.getElementById('foot').textContent = this.t('foot', {version: this.head.heed});
  },

  languageName(code) {
    try {
      return new Intl.DisplayNames([this.language], {type: 'language'}).of(code);
    } catch {
      return code;
    }
  },

  languageSwitch() {
    const options = [{value: 'en', label: 'EN', title: 'English'}, {value: 'ko', label: '한국어'}];
    return radioGroup('language', this.t('language'), options, this.language, language => {
      this.language = language;
      remember('language', language);
      this.restart();
    });
  },

  themeSwitch() {
    const options = [['auto', '◐'], ['light', '☀'], ['dark', '☾']].map(
        ([value, label]) => ({value, label: `${label}\ufe0e`, title: this.t(`theme_${value}`)}));
    return radioGroup('theme', this.t('theme'), options, this.theme, theme => {
      remember('theme', theme);
      this.setTheme(theme);
      this.restart();
    });
  },

  showPair() {
    const section = document.getElementById('pair');
    section.hidden = !this.sentence;
    if (!this.sentence) return;
    const {model, sentences} = this.head;
    const chooser = make(
        'select.chooser', {
          'aria-label': this.t('choose_sentence'),
          id: 'chooser',
          'data-focus': 'chooser',
          on: {change: event => this.set({sentence: event.target.selectedIndex})}
        },
        sentences.map((sentence, i) => make('option', `${i + 1}. ${shorten(sentence.text, 60)}`)));
    chooser.selectedIndex = this.state.sentence;
    const side = (name, text, language) => make(
        'div.side.panel',
        [make('h2.eyebrow', name), make('p.text', {text, lang: language, dir: 'auto', tabindex: '-1'})]);
    const {text, translation, given} = this.sentence;
    refill(
        section, make('h2.unseen', this.t('sentence')), sentences.length > 1 && chooser,
        side(this.t('source'), text, model.source_language),
        side(this.t(given ? 'target_given' : 'target'), translation, model.target_language),
        given && make('p.note', this.t('given_note')));
    // Long texts scroll, for which the keyboard must reach them.
    for (const node of section.querySelectorAll('.text')) {
      if (node.scrollHeight > node.clientHeight + 1) node.tabIndex = 0;
    }
  },

  showTabs() {
    const bar = document.getElementById('tabs');
    bar.setAttribute('aria-label', this.t('views'));
    refill(bar, ...this.tabs.map(name => this.tabButton(name)));
    const panels = document.getElementById('panels');
    if (!this.mounted[this.state.tab]) this.mountView(this.state.tab, panels);
    for (const panel of panels.children) panel.hidden = panel.id !== `panel-${this.state.tab}`;
    bar.querySelector('[aria-selected="true"]')?.scrollIntoView({block: 'nearest', inline: 'nearest'});
  },

  tabButton(name) {
    const chosen = name === this.state.tab;
    const open = other => {
      this.set({tab: other});
      focusNamed(`tab:${other}`);
    };
    const onKey = event => {
      const step = {ArrowRight: 1, ArrowLeft: -1}[event.key];
      if (!step) return;
      event.preventDefault();
      const {tabs} = this;
      open(tabs[(tabs.indexOf(name) + step + tabs.length) % tabs.length]);
    };
    const attributes = {
      role: 'tab',
      id: `tab-${name}`,
      'aria-selected': String(chosen),
      'aria-controls': this.mounted[name] || chosen ? `panel-${name}` : undefined,
      tabindex: chosen ? '0' : '-1',
      'data-focus': `tab:${name}`
    };
    const on = {click: () => open(name), keydown: onKey};
    return make('button.tab', {text: this.t(`tab_${name}`), ...attributes, on});
  },

  mountView(name, panels) {
    const attributes = {id: `panel-${name}`, role: 'tabpanel', 'aria-labelledby': `tab-${name}`};
    const panel = make('section', {class: `view view-${name}`, ...attributes});
    panels.append(panel);
    this.mounted[name] = true;
    this.views[name].mount(panel, this);
  },

  update() {
    this.views[this.state.tab]?.update(this);
  },

  // l L h H e d c m: layer, head, part and mean; views call this for keys pressed inside of them. Returns whether the
  // key was one of these.
  partKey(event) {
    if (!isPlainKey(event)) return false;
    const {part, layer, head} = this.state;
    const parts = {e: 'encoder', d: 'decoder', c: 'cross'};
    const stepped = (value, count, step) =>
        ((value === 'mean' ? (step > 0 ? -1 : count) : value) + step + count) % count;
    const layers = this.sentence.maps[part].length;
    const changes = {
      l: () => ({layer: stepped(layer, layers, 1), attribution: 'raw'}),
      L: () => ({layer: stepped(layer, layers, -1), attribution: 'raw'}),
      h: () => ({head: stepped(head, this.headCount(part, layer) || 1, 1), attribution: 'raw'}),
      H: () => ({head: stepped(head, this.headCount(part, layer) || 1, -1), attribution: 'raw'}),
      m: () => ({layer: 'mean', head: 'mean', attribution: 'raw'}),
    }[event.key]?.() ||
        (parts[event.key] && {part: parts[event.key]});
    if (!changes) return false;
    event.preventDefault();
    this.set(changes);
    return true;
  },

  onKey(event) {
    if (!isPlainKey(event)) return;
    if (event.key === '?') this.showHelp();
    if (event.key === '/') {
      event.preventDefault();
      document.querySelector('#chooser, #pair .text')?.focus();
    }
  },

  showHelp() {
    const dialog = document.getElementById('help');
    const rows = Object.entries(helpKeys).flatMap(
        ([name, keys]) => [make('dt', [make('kbd', keys)]), make('dd', this.t(`key_${name}_does`))]);
    const close = {text: this.t('close'), on: {click: () => dialog.close()}};
    dialog.replaceChildren(
        make('h2', {text: this.t('help'), id: 'help-title'}), make('p.note', this.t('help_intro')),
        make('dl.keys', rows), make('button', close));
    if (!dialog.open) dialog.showModal();
  },
};

document.addEventListener('DOMContentLoaded', () => look.start());
