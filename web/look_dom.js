// Making of elements for all views. Text goes in as text, never as markup: tokens can hold anything.
'use strict';

const longestLabel = 24;

// make('p.note', 'text'), make('ul.words', [child, …]) or
// make('button.chip', {class: 'chosen', text: 'word', on: {click}, lang: 'ko'}, [child, …]), where other names than
// class, text and on are attributes; false, null and undefined leave an attribute out.
function make(name, options = {}, children = []) {
  if (typeof options === 'string') return make(name, {text: options}, children);
  if (Array.isArray(options)) return make(name, {}, options);
  const {class: names, text, on = {}, ...attributes} = options;
  const [tag, ...classes] = name.split('.');
  const node = document.createElement(tag);
  if (tag === 'button') node.type = 'button';
  if (names) classes.push(names);
  if (classes.length > 0) node.className = classes.join(' ');
  if (text !== undefined) node.textContent = text;
  for (const [attribute, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false)
      node.setAttribute(attribute, value === true ? '' : value);
  }
  for (const [event, listener] of Object.entries(on)) node.addEventListener(event, listener);
  node.append(...children);
  return node;
}

function makeSvg(tag, attributes = {}, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

// At most `length` characters, the last one … where something was cut.
function shorten(text, length = longestLabel) {
  const letters = Array.from(text.slice(0, 4 * length));
  return letters.length > length ? `${letters.slice(0, length - 1).join('')}…` : letters.join('');
}

// Replaces the children of a node and gives the focus back to the element with the same data-focus name.
function refill(node, ...children) {
  const name = node.contains(document.activeElement) ? document.activeElement.dataset.focus : undefined;
  node.replaceChildren(...children.filter(Boolean));
  if (name) focusNamed(name);
}

function focusNamed(name) {
  document.querySelector(`[data-focus="${CSS.escape(name)}"]`)?.focus({preventScroll: true});
}

// In a group that is one stop of the Tab key: moves the focus by steps[event.key] buttons.
function moveFocus(event, buttons, steps) {
  const step = steps[event.key];
  if (!step) return;
  event.preventDefault();
  buttons[buttons.indexOf(event.target) + step]?.focus();
}

// A row of buttons of which one is chosen. options: [{value, label, title, disabled}]
function radioGroup(name, label, options, value, choose) {
  const enabled = options.filter(option => !option.disabled);
  const current = enabled.some(option => option.value === value) ? value : enabled[0]?.value;
  const take = option => {
    choose(option.value);
    focusNamed(`${name}:${option.value}`);
  };
  const onKey = event => {
    const step = {ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1}[event.key];
    if (!step) return;
    event.preventDefault();
    event.stopPropagation();
    const now = enabled.findIndex(option => option.value === current);
    take(enabled[(now + step + enabled.length) % enabled.length]);
  };
  const button = option => {
    const attributes = {
      role: 'radio',
      'aria-checked': String(option.value === value),
      'data-focus': `${name}:${option.value}`,
      tabindex: option.value === current ? '0' : '-1',
      title: option.title,
      disabled: option.disabled,
    };
    return make('button.choice', {text: option.label, ...attributes, on: {click: () => take(option)}});
  };
  const attributes = {role: 'radiogroup', 'aria-label': label};
  return make('div.choices', {...attributes, on: {keydown: onKey}}, options.map(button));
}

function checkbox(name, label, checked, change) {
  const on = {change: () => change(box.checked)};
  const box = make('input', {type: 'checkbox', 'data-focus': name, on});
  box.checked = checked;
  return make('label.check', [box, make('span', label)]);
}

function cell(value, tag = 'td') {
  return make(tag, {}, [make('bdi', shorten(String(value)))]);
}

// A table from rows of text; the first column names its row.
function makeTable(head, rows) {
  return make('table', [
    make('thead', [make('tr', head.map(name => cell(name, 'th')))]),
    make('tbody', rows.map(row => make('tr', row.map((value, i) => cell(value, i === 0 ? 'th' : 'td')))))
  ]);
}

function csvText(rows) {
  const quote = value => (/[",\r\n]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value);
  return rows.map(row => row.map(value => quote(String(value))).join(',')).join('\r\n') + '\r\n';
}

// Offers the rows as a file; the byte order mark tells spreadsheets that it is UTF-8.
function saveCsv(name, rows) {
  const url = URL.createObjectURL(new Blob(['\ufeff', csvText(rows)], {type: 'text/csv'}));
  const link = make('a', {href: url, download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

// Sets a canvas's size in CSS pixels at the screen's own resolution; returns a pen that counts in CSS pixels.
function sizeCanvas(canvas, width, height) {
  const ratio = Math.min(3, window.devicePixelRatio || 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const pen = canvas.getContext('2d');
  pen.scale(ratio, ratio);
  return pen;
}
