// What the page remembers: the state with its address, and the choices that outlast the page.
'use strict';

const tabNames = ['translation', 'attention', 'beam', 'positions', 'steps'];

const defaultState = {
  tab: 'translation',
  sentence: 0,
  part: 'cross',
  layer: 'mean',
  head: 'mean',
  query: -1,
  key: -1,
  unit: 'pieces',
  style: 'reading',
  scale: 'sqrt',
  trim: false,
  attribution: 'raw',
  heads: '',
};
const allowedValues = {
  part: ['cross', 'encoder', 'decoder'],
  unit: ['pieces', 'words'],
  style: ['reading', 'matrix', 'lines', 'heads'],
  scale: ['sqrt', 'linear'],
  attribution: ['raw', 'rollout'],
};
// What the address calls them; every other entry of the state goes by its own name.
const addressNames = {
  query: 'q',
  key: 'k',
  sentence: 's'
};
const fromAddress = {
  q: 'query',
  k: 'key',
  s: 'sentence'
};

function remembered(name) {
  try {
    return localStorage.getItem(`heed.look.${name}`);
  } catch {
    return null;
  }
}

function remember(name, value) {
  try {
    localStorage.setItem(`heed.look.${name}`, value);
  } catch {
    // Pages opened from disk may have no storage; the choice then lasts as long as the page.
  }
}

// '#attention/cross/4/2?q=3&style=matrix' → changes of the state; layers and heads count from 1 in the address.
function readAddress(hash) {
  const [path, search = ''] = hash.replace(/^#/, '').split('?');
  const [tab, part, layer, head] = path.split('/');
  const number = text => (/^\d+$/.test(text) && Number(text) > 0 ? Number(text) - 1 : 'mean');
  const changes = {};
  if (tabNames.includes(tab)) changes.tab = tab;
  if (part) changes.part = part;
  if (layer) changes.layer = number(layer);
  if (head) changes.head = number(head);
  for (const [name, text] of new URLSearchParams(search)) {
    if (name === '__proto__') continue;
    changes[fromAddress[name] || name] = valueFromAddress(text);
  }
  return changes;
}

// Whether changes of the state leave open what is looked at.
function isGeneral(changes) {
  return !['part', 'layer', 'head', 'query', 'key', 'style', 'attribution'].some(name => name in changes);
}

function valueFromAddress(text) {
  if (text === 'true' || text === 'false') return text === 'true';
  return /^-?\d+(\.\d+)?$/.test(text) ? Number(text) : text;
}

function writeAddress(state) {
  const {tab, part, layer, head, ...rest} = state;
  const count = index => (index === 'mean' ? 'mean' : index + 1);
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(rest)) {
    if (value !== defaultState[name] && value !== undefined && typeof value !== 'object')
      search.set(addressNames[name] || name, value);
  }
  const text = search.toString();
  const path = ['part', 'layer', 'head'].some(name => state[name] !== defaultState[name]) ?
      `/${part}/${count(layer)}/${count(head)}` :
      '';
  return `#${tab}${path}${text ? `?${text}` : ''}`;
}
