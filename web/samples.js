// Sample translations, one validation at a time, with differences from the reference marked.
'use strict';

const longestCompared = 400;  // in words; comparing takes quadratic time

// Words and the text between them. Intl.Segmenter also handles languages that are written without spaces.
function splitWords(text, language) {
  if (!('Segmenter' in Intl)) return text.split(/(\s+)/).filter(part => part !== '');
  let segmenter;
  try {
    segmenter = new Intl.Segmenter(language || undefined, {granularity: 'word'});
  } catch {
    segmenter = new Intl.Segmenter(undefined, {granularity: 'word'});
  }
  return Array.from(segmenter.segment(text), ({segment}) => segment);
}

// Which words of a and b are in their longest common subsequence; spaces always are.
function commonWords(a, b) {
  const isSpace = part => /^\s*$/.test(part);
  const [inA, inB] = [a, b].map(parts => parts.map((part, i) => (isSpace(part) ? -1 : i)).filter(i => i >= 0));
  const keptA = a.map(isSpace);
  const keptB = b.map(isSpace);
  if (inA.length > longestCompared || inB.length > longestCompared) return [a.map(() => true), b.map(() => true)];
  const length = Array.from({length: inA.length + 1}, () => new Uint16Array(inB.length + 1));
  for (let i = inA.length - 1; i >= 0; --i) {
    for (let j = inB.length - 1; j >= 0; --j) {
      length[i][j] = a[inA[i]] === b[inB[j]] ? length[i + 1][j + 1] + 1 : Math.max(length[i + 1][j], length[i][j + 1]);
    }
  }
  for (let i = 0, j = 0; i < inA.length && j < inB.length;) {
    if (a[inA[i]] === b[inB[j]])
      keptA[inA[i++]] = keptB[inB[j++]] = true;
    else if (length[i + 1][j] >= length[i][j + 1])
      ++i;
    else
      ++j;
  }
  return [keptA, keptB];
}

function showWords(node, parts, kept, tag) {
  node.replaceChildren(...parts.map((part, i) => (kept[i] ? part : element(tag, {}, part))));
}

class Samples {
  constructor(run) {
    this.run = run;
    this.shown = run.snapshots.length - 1;
    this.slider = byId('step');
    this.slider.max = String(this.shown);
    this.slider.addEventListener('input', () => this.show(Number(this.slider.value)));
    byId('previous').addEventListener('click', () => this.show(this.shown - 1));
    byId('next').addEventListener('click', () => this.show(this.shown + 1));
    byId('play').addEventListener('click', () => (this.timer ? this.stop() : this.play()));
    this.cards = run.sentences.map((sentence, i) => this.makeCard(sentence, i));
    byId('samples').append(...this.cards.map(card => card.node));
    this.show(this.shown);
  }

  makeCard({source, reference}, index) {
    const {source_language: from, target_language: to} = this.run;
    const text = (name, language, kind) =>
        element('dd', {class: kind, dir: 'auto', ...(language && {lang: language})}, name);
    const card = {reference: text(reference, to, 'reference'), hypothesis: text('', to, 'hypothesis')};
    card.words = splitWords(reference, to);
    const list = element(
        'dl', {}, element('dt', {}, 'Source'), text(source, from, 'source'), element('dt', {}, 'Reference'),
        card.reference, element('dt', {}, 'Translation'), card.hypothesis);
    card.node = element('article', {class: 'sample', 'aria-label': `Sample ${index + 1}`}, list);
    if (this.run.snapshots.length > 1) card.node.append(this.makeHistory(index));
    return card;
  }

  // Every distinct translation once, with its range of updates.
  makeHistory(index) {
    const versions = [];
    for (const {update, hypotheses} of this.run.snapshots) {
      const found = hypotheses.find(([sentence]) => sentence === index);
      if (!found) continue;
      const last = versions[versions.length - 1];
      if (last && last.text === found[1])
        last.until = update;
      else
        versions.push({from: update, until: update, text: found[1]});
    }
    const rows = versions.map(({from, until, text}) => {
      const when = formatNumber(from) + (until > from ? `–${formatNumber(until)}` : '');
      return element('tr', {}, element('th', {scope: 'row'}, when), element('td', {dir: 'auto'}, text));
    });
    const caption = element('caption', {class: 'unseen'}, 'Translations by update');
    const table = element('table', {class: 'history'}, caption, element('tbody', {}, ...rows));
    const name =
        versions.length === 1 ? 'The same at every validation' : `All ${formatNumber(versions.length)} versions`;
    return element(
        'details', {}, element('summary', {}, name), element('div', {class: 'scroll', tabindex: '0'}, table));
  }

  show(step) {
    const last = this.run.snapshots.length - 1;
    this.shown = Math.min(last, Math.max(0, step));
    const {update, bleu, brackets, hypotheses} = this.run.snapshots[this.shown];
    this.slider.value = String(this.shown);
    byId('previous').disabled = this.shown === 0;
    byId('next').disabled = this.shown === last;
    byId('play').disabled = last === 0;
    const best = update === this.run.best_update ? ' · best' : '';
    const scores = [['BLEU', bleu], ['bracket F', brackets]].filter(([, score]) => score !== null);
    const shown = scores.map(([name, score]) => ` · ${name} ${formatNumber(score, 2)}`).join('');
    const name = `Update ${formatNumber(update)}${shown}${best}`;
    byId('step-name').textContent = name;
    this.slider.setAttribute('aria-valuetext', name);
    const texts = new Map(hypotheses);
    this.cards.forEach((card, i) => this.fill(card, texts.get(i)));
  }

  fill(card, hypothesis) {
    card.node.hidden = hypothesis === undefined;
    if (hypothesis === undefined) return;
    const words = splitWords(hypothesis, this.run.target_language);
    const [kept, found] = commonWords(words, card.words);
    showWords(card.hypothesis, words, kept, 'mark');
    showWords(card.reference, card.words, found, 'u');
  }

  play() {
    byId('play').textContent = 'Pause';
    const last = this.run.snapshots.length - 1;
    if (this.shown === last) this.show(0);
    this.timer = setInterval(() => {
      this.show(this.shown + 1);
      if (this.shown === last) this.stop();
    }, Math.max(150, Math.min(800, 15000 / last)));
  }

  stop() {
    clearInterval(this.timer);
    this.timer = 0;
    byId('play').textContent = 'Play';
  }
}
