// Making of elements for all views. Text goes in as text, never as markup: tokens can hold anything.
'use strict';

const longestLabel = 24;

// element('button', {class: 'chip', text: 'word', attributes: {lang: 'ko'}, on: {click}}, [child, …])
function makeElement(tag, {class: names, text, attributes = {}, on = {}} = {}, children = []) {
  const node = document.createElement(tag);
  if (names) node.className = names;
  if (text !== undefined) node.textContent = text;
  for (const [name, value] of Object.entries(attributes)) {
    if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? '' : value);
  }
  for (const [name, listener] of Object.entries(on)) node.addEventListener(name, listener);
  node.append(...children);
  return node;
}

function makeLine(name, text) {
  return makeElement('p', {class: name, text});
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
      type: 'button',
      role: 'radio',
      'aria-checked': String(option.value === value),
      'data-focus': `${name}:${option.value}`,
      tabindex: option.value === current ? '0' : '-1',
      title: option.title,
      disabled: option.disabled,
    };
    return makeElement('button', {class: 'choice', text: option.label, attributes, on: {click: () => take(option)}});
  };
  const attributes = {role: 'radiogroup', 'aria-label': label};
  return makeElement('div', {class: 'choices', attributes, on: {keydown: onKey}}, options.map(button));
}

function checkbox(name, label, checked, change) {
  const on = {change: () => change(box.checked)};
  const box = makeElement('input', {attributes: {type: 'checkbox', 'data-focus': name}, on});
  box.checked = checked;
  return makeElement('label', {class: 'check'}, [box, makeElement('span', {text: label})]);
}

function cell(value, tag = 'td') {
  return makeElement(tag, {}, [makeElement('bdi', {text: shorten(String(value))})]);
}

// A table from rows of text; the first column names its row.
function makeTable(head, rows) {
  return makeElement('table', {}, [
    makeElement('thead', {}, [makeElement('tr', {}, head.map(name => cell(name, 'th')))]),
    makeElement(
        'tbody', {}, rows.map(row => makeElement('tr', {}, row.map((value, i) => cell(value, i === 0 ? 'th' : 'td')))))
  ]);
}

function csvText(rows) {
  const quote = value => (/[",\r\n]/.test(value) ? `"${value.replace(/"/g, '""')}"` : value);
  return rows.map(row => row.map(value => quote(String(value))).join(',')).join('\r\n') + '\r\n';
}

// Offers the rows as a file; the byte order mark tells spreadsheets that it is UTF-8.
function saveCsv(name, rows) {
  const url = URL.createObjectURL(new Blob(['\ufeff', csvText(rows)], {type: 'text/csv'}));
  const link = makeElement('a', {attributes: {href: url, download: name}});
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
