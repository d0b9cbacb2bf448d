// An SVG line chart: axes, grid, restarts, best points, and a crosshair shared by all charts.
'use strict';

const plotHeight = 220;
const crowded = 300;  // from this many points on, a noisy series is overlaid with a smoothed line
const smoothingReach = 12;
const nameWidth = 75;  // of the label of a best point
const nameReach = 30;  // how far the label may move to avoid a curve
const margin = {
  left: 46,
  right: 14,
  top: 16,
  bottom: 24
};

function svgNode(tag, attributes, text) {
  const node = document.createElementNS('http://www.w3.org/2000/svg', tag);
  for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
  if (text !== undefined) node.textContent = text;
  return node;
}

function multiples(step, low, high) {
  const ticks = [];
  for (let i = Math.ceil(low / step - 1e-9); i * step <= high + step * 1e-9; ++i) ticks.push(i * step);
  return ticks;
}

function linearTicks(low, high, count) {
  const rough = (high - low) / count;
  const decade = 10 ** Math.floor(Math.log10(rough));
  const step = [1, 2, 5, 10].map(factor => factor * decade).find(size => size >= rough * 0.85);
  return multiples(step, low, high);
}

function timeTicks(low, high, count) {
  const steps = [1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10800, 21600, 43200, 86400];
  const rough = (high - low) / count;
  return multiples(steps.find(step => step >= rough) || Math.ceil(rough / 86400) * 86400, low, high);
}

function logTicks(low, high) {
  const ticks = [];
  for (let power = Math.floor(Math.log10(low)); 10 ** power <= high; ++power) {
    for (const factor of [1, 2, 5]) ticks.push(Number((factor * 10 ** power).toPrecision(1)));
  }
  const inside = ticks.filter(tick => tick >= low && tick <= high);
  if (inside.length < 3) return linearTicks(low, high, 4);
  return inside.length <= 7 ? inside : inside.filter(tick => /^1/.test(tick.toExponential()));
}

// The index of the point whose update is nearest; points are sorted by update.
function nearestIndex(points, update) {
  let low = 0;
  let high = points.length - 1;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if (points[middle][0] < update)
      low = middle;
    else
      high = middle;
  }
  return Math.abs(points[low][0] - update) <= Math.abs(points[high][0] - update) ? low : high;
}

// A moving interquartile mean, so that single spikes do not bend the line.
function smoothed(points) {
  return points.map(([update, value], i) => {
    if (value === null) return [update, null];
    const reach = Math.min(smoothingReach, i, points.length - 1 - i);
    const around = points.slice(i - reach, i + reach + 1)
                       .map(point => point[1])
                       .filter(near => near !== null)
                       .sort((a, b) => a - b);
    const middle = around.slice(Math.floor(around.length / 4), Math.ceil(around.length * 3 / 4));
    return [update, middle.reduce((sum, near) => sum + near, 0) / middle.length];
  });
}

function bestPoint(points, better) {
  const valued = points.filter(point => point[1] !== null);
  if (!better || valued.length === 0) return null;
  return valued.reduce((best, point) => ((better === 'low' ? point[1] < best[1] : point[1] > best[1]) ? point : best));
}

// spec: {title, series: [{name, kind, points: [[update, value or null], …], better: 'low' | 'high', noisy}], log,
//        canBeLog, fromZero}
// axis: {kind, from(update), to(position), begin, end, restarts, changes, name(update)}
// onRead(update or null, the chart with keyboard focus) moves the crosshairs of all charts.
class Chart {
  constructor(spec, axis, onRead) {
    Object.assign(this, spec);
    this.axis = axis;
    this.onRead = onRead;
    this.legend = element('div', {class: 'legend'});
    this.svg = svgNode('svg', {'aria-hidden': 'true', focusable: 'false'});
    this.plot = element('div', {class: 'plot', tabindex: '0', role: 'img', 'aria-label': this.summary()}, this.svg);
    const head = element('div', {class: 'chart-head'}, element('h3', {}, this.title));
    if (this.canBeLog) head.append(this.logButton());
    this.node = element('figure', {class: 'chart'}, head, this.legend, this.plot);
    this.listen();
    new ResizeObserver(() => this.draw()).observe(this.plot);
  }

  summary() {
    const parts = this.series.map(({name, points}) => {
      const valued = points.filter(point => point[1] !== null);
      if (valued.length === 0) return `${name}: no values`;
      const tell = ([update, value]) => `${formatValue(value)} at update ${formatNumber(update)}`;
      return valued.length === 1 ? `${name}: ${tell(valued[0])}` :
                                   `${name}: from ${tell(valued[0])} to ${tell(valued[valued.length - 1])}`;
    });
    return `${this.title}. ${parts.join('. ')}. Arrow keys read single values.`;
  }

  logButton() {
    const button = element(
        'button',
        {type: 'button', 'aria-pressed': String(this.log), 'aria-label': `Logarithmic scale for ${this.title}`}, 'log');
    button.addEventListener('click', () => {
      this.log = !this.log;
      button.setAttribute('aria-pressed', String(this.log));
      this.draw();
    });
    return button;
  }

  listen() {
    this.plot.addEventListener('pointermove', event => this.readAt(event));
    this.plot.addEventListener('pointerdown', event => this.readAt(event));
    this.plot.addEventListener('pointerleave', () => this.onRead(null));
    this.plot.addEventListener('blur', () => this.onRead(null));
    this.plot.addEventListener('keydown', event => this.readByKey(event));
  }

  // The points of the longest series are the steps of the crosshair.
  steps() {
    return this.visible.reduce((longest, {points}) => (points.length > longest.length ? points : longest), []);
  }

  readAt(event) {
    const x = event.clientX - this.plot.getBoundingClientRect().left;
    const part = Math.min(1, Math.max(0, (x - margin.left) / (this.width - margin.left - margin.right)));
    const {begin, end} = this.axis;
    const steps = this.steps();
    if (steps.length > 0) this.onRead(steps[nearestIndex(steps, this.axis.to(begin + part * (end - begin)))][0]);
  }

  readByKey(event) {
    const steps = this.steps();
    const last = steps.length - 1;
    const now = this.reading === null ? last : nearestIndex(steps, this.reading);
    const page = Math.max(1, Math.round(last / 10));
    const to = {
      ArrowLeft: now - 1,
      ArrowRight: now + 1,
      PageUp: now - page,
      PageDown: now + page,
      Home: 0,
      End: last
    }[event.key];
    if (event.key === 'Escape') this.onRead(null);
    if (to === undefined || last < 0) return;
    event.preventDefault();
    this.onRead(steps[Math.min(last, Math.max(0, to))][0], this);
  }

  // Computes the visible part of each series, the range of values, and the mapping to pixels.
  measure() {
    const {from, begin, end} = this.axis;
    this.visible =
        this.series.map(series => ({...series, points: series.points.filter(point => from(point[0]) >= begin)}));
    const values = this.visible.flatMap(({points}) => points.map(point => point[1]))
                       .filter(value => value !== null && (!this.log || value > 0));
    const bend = this.log ? Math.log : value => value;
    const unbend = this.log ? Math.exp : value => value;
    let low = bend(values.reduce((a, b) => Math.min(a, b), Infinity));
    let high = bend(values.reduce((a, b) => Math.max(a, b), -Infinity));
    if (values.length === 0) [low, high] = [bend(1), bend(10)];
    if (this.fromZero && !this.log) low = Math.min(0, low);
    const room = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    // Leave room for the labels of best points: below the lowest value, above the highest.
    const roomFor = better => room * (this.series.some(series => series.better === better) ? 2.5 : 1);
    const floor = !this.log && low >= 0 ? 0 : -Infinity;
    low = Math.max(floor, low - roomFor('low'));
    high += roomFor('high');
    this.low = unbend(low);
    this.high = unbend(high);
    const inner = plotHeight - margin.top - margin.bottom;
    this.y = value => margin.top + inner * (1 - (bend(value) - low) / (high - low));
    const across = this.width - margin.left - margin.right;
    this.x = update => margin.left + across * ((from(update) - begin) / (end - begin));
  }

  draw() {
    this.width = this.plot.clientWidth;
    if (this.width === 0) return;
    this.measure();
    this.svg.setAttribute('viewBox', `0 0 ${this.width} ${plotHeight}`);
    this.svg.replaceChildren();
    this.drawAxes();
    this.drawRestarts();
    this.visible.forEach(series => this.drawSeries(series));
    this.series.forEach(series => this.drawBest(series));
    this.cursor = this.svg.appendChild(svgNode('g', {}));
    this.read(this.reading ?? null);
  }

  drawAxes() {
    const ticks = this.log ? logTicks(this.low, this.high) : linearTicks(this.low, this.high, 5);
    const right = this.width - margin.right;
    const bottom = plotHeight - margin.bottom;
    const decades = this.log && this.high > this.low * 10;
    const step = ticks.length > 1 && !decades ? Math.min(...ticks.slice(1).map((tick, i) => tick - ticks[i])) : 0;
    for (const tick of ticks) {
      const y = this.y(tick);
      this.svg.append(
          svgNode('line', {class: 'grid', x1: margin.left, x2: right, y1: y, y2: y}),
          svgNode('text', {x: margin.left - 8, y: y + 4, 'text-anchor': 'end'}, formatTick(tick, step)));
    }
    this.svg.append(svgNode('line', {class: 'base', x1: margin.left, x2: right, y1: bottom, y2: bottom}));
    const count = Math.max(2, Math.floor(this.width / 75));
    const {begin, end} = this.axis;
    const time = this.axis.kind === 'time';
    const places = (time ? timeTicks : linearTicks)(begin, end, count);
    for (const tick of places) {
      const x = margin.left + (right - margin.left) * ((tick - begin) / (end - begin));
      if (!time && !Number.isInteger(tick)) continue;
      this.svg.append(
          svgNode('line', {class: 'base', x1: x, x2: x, y1: bottom, y2: bottom + 4}),
          svgNode(
              'text', {x, y: bottom + 18, 'text-anchor': 'middle'},
              time ? formatTimeTick(tick, places[1] - places[0]) : formatTick(tick, 1)));
    }
  }

  drawRestarts() {
    for (const update of this.axis.restarts) {
      const x = this.x(update);
      if (x < margin.left) continue;
      const changed = this.axis.changes.has(update);
      const style = changed ? 'restart changed' : 'restart';
      this.svg.append(
          svgNode('line', {class: style, x1: x, x2: x, y1: margin.top, y2: plotHeight - margin.bottom}),
          svgNode('text', {class: style, x, y: margin.top - 4, 'text-anchor': 'middle'}, changed ? '◆' : '↻'));
    }
  }

  drawSeries({kind, points, noisy}) {
    const group = this.svg.appendChild(svgNode('g', {class: kind}));
    const isCrowded = noisy && points.length >= crowded;
    this.drawLine(group, points, isCrowded ? 'curve faint' : 'curve');
    if (isCrowded) this.drawLine(group, smoothed(points), 'curve');
  }

  // A line with gaps where values are missing; a value between two gaps becomes a dot.
  drawLine(group, points, style) {
    let path = '';
    let pen = false;
    const drawable = value => value !== null && (!this.log || value > 0);
    const sparse = points.length <= 40;
    points.forEach(([update, value], i) => {
      if (!drawable(value)) {
        pen = false;
        return;
      }
      const x = this.x(update).toFixed(1);
      const y = this.y(value).toFixed(1);
      path += `${pen ? 'L' : 'M'}${x} ${y}`;
      const alone = !pen && !(i + 1 < points.length && drawable(points[i + 1][1]));
      if (sparse || alone)
        group.append(svgNode('circle', {class: 'dot', cx: x, cy: y, r: points.length > 1 ? 2.25 : 3.5}));
      pen = true;
    });
    group.append(svgNode('path', {class: style, d: path}));
  }

  drawBest({kind, points, better}) {
    const best = bestPoint(points, better);
    if (!best || (this.log && best[1] <= 0)) return;
    const [x, y] = [this.x(best[0]), this.y(best[1])];
    if (x < margin.left) return;
    const anchor = x > this.width - 80 ? 'end' : x < margin.left + 40 ? 'start' : 'middle';
    // If two best points are close together, only the upper one's label goes above it.
    const bests = this.series.map(series => bestPoint(series.points, series.better)).filter(Boolean);
    const upper = better === 'high' && bests.every(other => other[1] <= best[1]);
    const above = upper || y > plotHeight - margin.bottom - 20;
    const left = anchor === 'end' ? x - nameWidth : anchor === 'start' ? x : x - nameWidth / 2;
    const [highest, lowest] = this.extremes(left, left + nameWidth, y);
    const group = svgNode('g', {class: kind});
    group.append(
        svgNode('circle', {class: 'best-ring', cx: x, cy: y, r: 4.5}),
        svgNode(
            'text', {
              class: 'best-name',
              x: anchor === 'end' ? x + 5 : x,
              y: above ? highest - 10 : Math.min(lowest + 19, plotHeight - margin.bottom - 4),
              'text-anchor': anchor
            },
            `best ${formatValue(best[1])}`));
    this.svg.append(group);
  }

  // The top and bottom of all curves near `y` between two positions on the horizontal axis, including `y` itself.
  extremes(left, right, y) {
    const drawable = value => value !== null && (!this.log || value > 0);
    const places =
        this.visible.flatMap(({points}) => points)
            .filter(([update, value]) => drawable(value) && this.x(update) >= left && this.x(update) <= right)
            .map(([, value]) => this.y(value))
            .filter(place => Math.abs(place - y) < nameReach);
    return [Math.min(y, ...places), Math.max(y, ...places)];
  }

  // Shows the values nearest to an update, or the latest ones for null.
  read(update) {
    this.reading = update;
    if (!this.cursor) return '';
    this.cursor.replaceChildren();
    this.legend.replaceChildren();
    if (update !== null) {
      const x = this.x(update);
      this.cursor.append(
          svgNode('line', {class: 'cursor', x1: x, x2: x, y1: margin.top, y2: plotHeight - margin.bottom}));
    }
    const told = this.visible.filter(({points}) => points.length > 0).map(series => this.readSeries(series, update));
    if (update !== null) this.legend.append(element('span', {class: 'where'}, this.axis.name(update)));
    return told.join(', ');
  }

  readSeries({name, kind, points}, update) {
    const [at, value] = points[update === null ? points.length - 1 : nearestIndex(points, update)];
    const shown = value === null ? missing : formatValue(value);
    this.legend.append(element('span', {class: `key ${kind}`}, `${name} `, element('b', {}, shown)));
    if (update !== null && value !== null && (!this.log || value > 0)) {
      const group = this.cursor.appendChild(svgNode('g', {class: kind}));
      group.append(svgNode('circle', {class: 'cursor-dot', cx: this.x(at), cy: this.y(value), r: 4.5}));
    }
    return `${name} ${shown}`;
  }
}
