// Draws the trees in #data: words at the bottom, each phrase above the middle of what it holds. A phrase can be chosen,
// which marks all that belongs to it. Trees are drawn when they come near the screen.
'use strict';

const rowHeight = 40;
const gap = 14;
const margin = 10;

const texts = {
  en: {
    title: n => (n === 1 ? '1 sentence' : `${n} sentences`),
    hint: 'Choose a phrase to mark its words. Wide trees scroll sideways.',
    blank: 'blank line',
    picture: 'Parse tree of: ',
    foot: version => `Written by heed parse ${version}. Everything is in this one file; nothing is fetched.`
  },
  ko: {
    title: n => `문장 ${n}개`,
    hint: '구를 고르면 그 구의 단어가 표시됩니다. 넓은 나무는 옆으로 밀어 볼 수 있습니다.',
    blank: '빈 줄',
    picture: '구문 나무: ',
    foot: version => `heed parse ${version}로 만들었습니다. 모든 것이 이 파일 안에 있으며 아무것도 내려받지 않습니다.`
  }
};
const language = navigator.language.startsWith('ko') ? 'ko' : 'en';
const words = texts[language];
const data = JSON.parse(document.getElementById('data').textContent);

const canvas = document.createElement('canvas').getContext('2d');
function widthOf(text, font) {
  canvas.font = font;
  return canvas.measureText(text).width;
}

function isWord(node) {
  return node.length === 2 && typeof node[1] === 'string';
}

// The nodes of a tree in order, without recursion: a tree may be as deep as its line is long. Each has its label, word,
// parent, depth and the words [first, last] below it.
function flatten(tree) {
  const nodes = [];
  const waiting = tree.length > 0 ? [[tree, null, 0]] : [];
  while (waiting.length > 0) {
    const [node, parent, depth] = waiting.pop();
    const flat = {label: node[0], word: isWord(node) ? node[1] : null, parent, depth, first: Infinity, last: -1};
    nodes.push(flat);
    if (flat.word === null) {
      for (let i = node.length - 1; i > 0; --i) waiting.push([node[i], flat, depth + 1]);
    }
  }
  return nodes;
}

function layOut(nodes) {
  let right = margin;
  let count = 0;
  for (const node of nodes.filter(each => each.word !== null)) {
    const width = Math.max(widthOf(node.word, '14px system-ui'), widthOf(node.label, '13px system-ui'), 12);
    node.x = right + width / 2;
    right += width + gap;
    for (let each = node; each !== null; each = each.parent) {
      each.first = Math.min(each.first, count);
      each.last = count;
    }
    ++count;
  }
  const deepest = Math.max(...nodes.map(node => node.depth));
  const leaves = nodes.filter(node => node.word !== null);
  for (const node of nodes) {
    if (node.word === null) node.x = (leaves[node.first].x + leaves[node.last].x) / 2;
    node.y = margin + 10 + rowHeight * (node.word === null ? node.depth : deepest);
  }
  return {width: right - gap + margin, height: margin + rowHeight * deepest + 44};
}

function drawTree(nodes, sentence) {
  const {width, height} = layOut(nodes);
  const svg = makeSvg('svg', {width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': words.picture + sentence});
  let chosen = null;
  const choose = node => {
    chosen = chosen === node ? null : node;
    for (const each of nodes) {
      const inside = chosen !== null && each.first >= chosen.first && each.last <= chosen.last && each.depth >= chosen.depth;
      each.group.classList.toggle('chosen', inside);
      if (each.word === null) each.button.setAttribute('aria-pressed', String(each === chosen));
    }
  };
  for (const node of nodes) {
    node.group = makeSvg('g');
    if (node.parent !== null) {
      const from = node.parent.y + 6;
      const to = node.y - 13;
      const bend = Math.min(from + rowHeight - 19, to);
      node.group.append(makeSvg('path', {d: `M${node.parent.x} ${from}L${node.x} ${bend}V${to}`}));
    }
    const name = node.word === null ? 'phrase' : 'tag';
    const label = makeSvg('text', {x: node.x, y: node.y, class: name, 'text-anchor': 'middle'}, node.label);
    if (node.word === null) {
      node.button = label;
      label.setAttribute('tabindex', '0');
      label.setAttribute('role', 'button');
      label.setAttribute('aria-pressed', 'false');
      label.addEventListener('click', () => choose(node));
      label.addEventListener('keydown', event => {
        if (event.key !== 'Enter' && event.key !== ' ') return;
        event.preventDefault();
        choose(node);
      });
    } else {
      node.group.append(
          makeSvg('text', {x: node.x, y: node.y + 20, class: 'word', 'text-anchor': 'middle'}, node.word));
    }
    node.group.append(label);
    svg.append(node.group);
  }
  return svg;
}

function addSentence({tree, log_probability: logProbability}, index) {
  const nodes = flatten(tree);
  const sentence = nodes.filter(node => node.word !== null).map(node => node.word).join(' ');
  const picture = make('div.picture');
  const section = make('section.sentence.panel', [
    make('h2', [make('span.number', String(index + 1)), sentence || words.blank]), picture,
    ...(nodes.length > 0 ? [make('p.note', `log P ${logProbability.toFixed(3).replace('-', '−')}`)] : [])
  ]);
  document.getElementById('trees').append(section);
  if (nodes.length === 0) return;
  // Room beforehand, so that the page does not jump.
  const deepest = Math.max(...nodes.map(node => node.depth));
  picture.style.minHeight = `${margin + rowHeight * deepest + 44}px`;
  const observer = new IntersectionObserver(entries => {
    if (!entries.some(entry => entry.isIntersecting)) return;
    observer.disconnect();
    picture.append(drawTree(nodes, sentence));
  }, {rootMargin: '600px'});
  observer.observe(picture);
}

document.documentElement.lang = language;
document.getElementById('title').textContent = words.title(data.sentences.length);
document.getElementById('hint').textContent = words.hint;
document.getElementById('foot').textContent = words.foot(data.version);
data.sentences.forEach(addSentence);
