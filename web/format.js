// Formatting of numbers, times and languages, and creation of elements. Text is never parsed as HTML.
'use strict';

const missing = '–';

function formatNumber(value, digits = 0) {
  if (!Number.isFinite(value)) return missing;
  return value.toLocaleString('en', {minimumFractionDigits: digits, maximumFractionDigits: digits});
}

// About four significant digits for any magnitude.
function formatValue(value) {
  if (!Number.isFinite(value)) return missing;
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-3 || size >= 1e7)) return value.toExponential(2);
  if (size >= 1000) return formatNumber(value);
  return formatNumber(value, size >= 100 ? 1 : size >= 10 ? 2 : size >= 0.1 ? 3 : 5);
}

// An axis label; adjacent ticks are `step` apart, 0: unevenly spaced.
function formatTick(value, step) {
  const size = Math.abs(value);
  if (value === 0) return '0';
  if (size >= 1e10) return value.toExponential(1).replace('.0e', 'e');
  if (size >= 1e6) return `${trimmed(value / 1e6)}M`;
  if (size >= 1e4) return `${trimmed(value / 1e3)}k`;
  if (size < 1e-3) return value.toExponential(1).replace('.0e', 'e');
  const digits = Math.max(0, Math.min(6, Math.ceil(-Math.log10(step || size) - 1e-9)));
  return formatNumber(value, digits);
}

function trimmed(value) {
  return String(Number(value.toPrecision(4)));
}

function formatAmount(value) {
  if (!Number.isFinite(value)) return missing;
  for (const [size, name] of [[1e9, ' billion'], [1e6, ' million']]) {
    if (value >= size) return trimmed(Number((value / size).toPrecision(3))) + name;
  }
  return formatNumber(value);
}

function formatTime(seconds) {
  if (!Number.isFinite(seconds)) return missing;
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  return `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

// How long ago: "12 s", "3 min", "5 h", "2 d".
function formatAge(seconds) {
  for (const [size, name] of [[86400, 'd'], [3600, 'h'], [60, 'min']]) {
    if (seconds >= size) return `${Math.floor(seconds / size)} ${name}`;
  }
  return `${Math.floor(seconds)} s`;
}

function formatTimeTick(seconds, step) {
  if (seconds === 0) return '0';
  if (step % 86400 === 0) return `${seconds / 86400} d`;
  if (seconds % 3600 === 0) return `${seconds / 3600} h`;
  if (seconds > 3600)
    return `${Math.floor(seconds / 3600)}:${String(Math.round(seconds / 60) % 60).padStart(2, '0')} h`;
  return seconds % 60 === 0 ? `${seconds / 60} min` : `${seconds} s`;
}

// "ko" → "Korean"; anything that is not a language code is returned unchanged.
function languageName(code) {
  try {
    return new Intl.DisplayNames(['en'], {type: 'language'}).of(code);
  } catch {
    return code;
  }
}

function byId(id) {
  return document.getElementById(id);
}

// element('p', {class: 'note'}, 'text', child, …)
function element(tag, attributes = {}, ...children) {
  const node = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  node.append(...children);
  return node;
}
