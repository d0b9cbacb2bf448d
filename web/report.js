// Fills the page from the JSON in #run, which src/training/report.cpp writes.
'use strict';

const run = JSON.parse(byId('run').textContent);

const endings = {
  updates: 'Reached the limit of updates',
  epochs: 'Reached the limit of epochs',
  hours: 'Reached the time limit',
  patience: 'Stopped early, without further improvement in validation',
  signal: 'Interrupted by a signal',
};
// What validations score translations by: the key in the figures, which names the colour, too, and how it is spelt.
const metrics = [['bleu', 'BLEU'], ['chrf', 'chrF'], ['brackets', 'bracket F']];
const states = {
  running: 'Running',
  quiet: 'Not updating',
  finished: 'Finished',
  stopped: 'Stopped',
  diverged: 'Diverged'
};

function showHead() {
  byId('model').textContent = run.model || 'Training report';
  byId('folder').textContent = run.model || 'MODEL';
  byId('look').textContent = `${run.model || 'MODEL'}/look.html`;
  const languages = [run.source_language, run.target_language].filter(Boolean).map(languageName);
  byId('languages').textContent = languages.join(' → ');
  document.title = [run.model, languages.join(' → '), 'heed training report'].filter(Boolean).join(' · ');
  byId('started').textContent = run.started ? `Started ${run.started}` : '';
  byId('program').textContent = tellProgram(run.program);
  showState();
  if (run.end === null) setInterval(showState, 10000);
  offerFollowing();
}

// The page cannot check whether its run is still active; it only knows how long ago it was written and when it should
// have been rewritten.
function currentState() {
  if (run.end !== null) return {signal: 'stopped', diverged: 'diverged'}[run.end.reason] || 'finished';
  return run.written > 0 && secondsOld() > run.news_lasts ? 'quiet' : 'running';
}

function secondsOld() {
  return Math.max(0, Date.now() / 1000 - run.written);
}

function showState() {
  const state = currentState();
  byId('state').className = `pill ${state}`;
  byId('state').textContent = states[state];
  byId('story').textContent = tellStory(run.end, state);
  byId('written').textContent =
      run.written > 0 && run.end === null ? `Last written ${formatAge(secondsOld())} ago` : '';
}

function tellProgram({version, threads, instruction_set, seed}) {
  const parts = [];
  if (version) parts.push(`heed ${version}`);
  if (threads !== null) parts.push(threads === 1 ? '1 thread' : `${threads} threads`);
  if (instruction_set) parts.push(instruction_set);
  if (seed !== null) parts.push(`seed ${seed}`);
  return parts.join(' · ');
}

function tellStory(end, state) {
  const parts = [];
  const {update, seconds, seconds_left: left} = run.last;
  if (end?.message)
    parts.push(`${end.message[0].toUpperCase()}${end.message.slice(1)}.`);
  else if (end !== null)
    parts.push(`${endings[end.reason] || 'Training ended'} at update ${formatNumber(end.update)} after ${
        formatTime(end.seconds)}.`);
  else if (update > 0)
    parts.push(`Update ${formatNumber(update)}${seconds === null ? '' : `, ${formatTime(seconds)}`} so far${
        left === null || state !== 'running' ? '' : `, about ${formatTime(left)} left`}.`);
  else
    parts.push('No figures logged yet.');
  if (run.best_update !== null)
    parts.push(`The best model${end ? '' : ' so far'} is from update ${formatNumber(run.best_update)}.`);
  if (end?.reason === 'signal') parts.push('Resume it with heed train --model.');
  if (state === 'quiet')
    parts.push(
        `Nothing written for ${formatAge(secondsOld())}: the run was probably killed, or this is an old copy of the ` +
        'page. Resume a killed run with heed train --model.');
  return parts.join(' ');
}

// The page of an active run can reload itself; the URL fragment stores the choice.
function offerFollowing() {
  const button = byId('follow');
  button.hidden = run.end !== null;
  const follows = location.hash === '#follow';
  button.setAttribute('aria-pressed', String(follows));
  button.addEventListener('click', () => {
    location.hash = follows ? '' : '#follow';
    location.reload();
  });
  if (follows && run.end === null) setTimeout(() => location.reload(), 60000);
}

function figure(name, value, detail, kind = '') {
  const shown = element('dd', {class: 'value'}, value);
  return element('div', {class: kind}, element('dt', {}, name), shown, element('dd', {class: 'detail'}, detail || ''));
}

function showFigures() {
  const {valid} = run.curves;
  const score = (name, points, better, kind, digits) => {
    const best = bestPoint(points, better);
    if (best)
      byId('scores').append(figure(name, formatNumber(best[1], digits), `at update ${formatNumber(best[0])}`, kind));
  };
  for (const [key, name] of metrics) score(`Best ${name}`, valid[key], 'high', key, 2);
  score('Best perplexity', valid.perplexity, 'low', 'valid', 2);
  const {epoch, sentences, tokens} = run.last;
  const {update, seconds} = run.end ?? run.last;
  const number = value => (value === null ? NaN : value);
  const speed = run.last.seconds > 0 ? number(tokens) / run.last.seconds : NaN;
  byId('facts').append(
      figure('Updates', formatNumber(number(update)), epoch === null ? '' : `in epoch ${formatNumber(epoch)}`),
      figure(
          'Tokens seen', formatAmount(number(tokens)),
          sentences === null ? '' : `${formatAmount(sentences)} sentences`),
      figure('Training time', formatTime(number(seconds)), restartsTold()),
      figure('Speed', formatNumber(speed), 'target tokens per second'),
      figure(
          'Parameters', formatAmount(run.parameters || NaN),
          run.parameters >= 1e6 ? formatNumber(run.parameters) : ''));
  if (run.skipped_at === null) return;
  byId('warning').hidden = false;
  byId('warning').textContent =
      `Some updates were skipped because the gradient was not finite, first at update ${formatNumber(run.skipped_at)}.`;
}

function restartsTold() {
  const count = run.resumed.length;
  return count === 0 ? '' : count === 1 ? 'resumed once' : `resumed ${formatNumber(count)} times`;
}

// The horizontal axis in updates or in seconds of training, converted by interpolation in the run's clock.
function makeAxis() {
  const clock = [[0, 0], ...run.clock.filter(([update, seconds]) => update > 0 && seconds !== null)];
  const along = (key, other) => value => {
    let [low, high] = [0, clock.length - 1];
    while (high - low > 1) {
      const middle = (low + high) >> 1;
      if (clock[middle][key] < value)
        low = middle;
      else
        high = middle;
    }
    const [a, b] = [clock[low], clock[high]];
    const part = b[key] === a[key] ? 1 : Math.min(1, (value - a[key]) / (b[key] - a[key]));
    return a[other] + part * (b[other] - a[other]);
  };
  const [toSeconds, toUpdate] = [along(0, 1), along(1, 0)];
  const lastUpdate = Math.max(1, run.last.update, ...run.resumed);
  const axis = {
    restarts: [...new Set(run.resumed)],
    changes: new Set(run.changes.map(change => change.update)),
    name: update => `update ${formatNumber(update)} · ${formatTime(toSeconds(update))}`
  };
  axis.choose = (kind, stretch) => {
    Object.assign(
        axis,
        kind === 'time' ? {kind, from: toSeconds, to: toUpdate, end: Math.max(1, toSeconds(lastUpdate))} :
                          {kind, from: update => update, to: update => update, end: lastUpdate});
    axis.begin = axis.end * (1 - stretch);
  };
  axis.choose('update', 1);
  return axis;
}

function chartSpecs({train, valid}) {
  const line = (name, kind, points, better) => ({name, kind, points, better, noisy: kind === 'train'});
  return [
    {
      title: 'Cost per token',
      canBeLog: true,
      series: [line('training', 'train', train.cost), line('validation', 'valid', valid.cost, 'low')]
    },
    {
      title: 'Perplexity',
      log: true,
      canBeLog: true,
      series: [line('training', 'train', train.perplexity), line('validation', 'valid', valid.perplexity, 'low')]
    },
    {
      title: valid.brackets.length > 0 ? 'Parsing quality' : 'Translation quality',
      fromZero: true,
      series: metrics.map(([key, name]) => line(name, key, valid[key], 'high'))
    },
    {title: 'Learning rate', fromZero: true, series: [{...line('rate', 'train', train.learning_rate), noisy: false}]},
    {title: 'Gradient norm', log: true, canBeLog: true, series: [line('norm', 'train', train.gradient_norm)]},
    {title: 'Speed', fromZero: true, series: [line('target tokens per second', 'train', train.tokens_per_second)]},
  ];
}

function showChanges() {
  byId('changes').hidden = run.changes.length === 0;
  byId('changes').append(...run.changes.map(
      ({update, name, from, to}) =>
          element('li', {}, `◆ update ${formatNumber(update)}: `, element('b', {}, name), ` from ${from} to ${to}`)));
}

function showCurves() {
  const specs = chartSpecs(run.curves);
  for (const spec of specs) spec.series = spec.series.filter(({points}) => points.length > 0);
  const axis = makeAxis();
  const charts = [];
  const readAll = (update, speaker) => charts.forEach(chart => {
    const told = chart.read(update);
    if (chart === speaker) byId('reading').textContent = `Update ${formatNumber(update)}: ${told}`;
  });
  for (const spec of specs) {
    if (spec.series.length > 0) charts.push(new Chart({log: false, reading: null, ...spec}, axis, readAll));
  }
  byId('charts').append(...charts.map(chart => chart.node));
  if (charts.length === 0) showNoCurves();
  const redraw = () => {
    axis.choose(pressed('axis'), Number(pressed('stretch')));
    charts.forEach(chart => chart.draw());
  };
  listenToSwitch('axis', redraw);
  listenToSwitch('stretch', redraw);
}

function pressed(id) {
  return byId(id).querySelector('[aria-pressed="true"]').value;
}

function listenToSwitch(id, onChange) {
  const buttons = byId(id).querySelectorAll('button');
  for (const button of buttons) {
    button.addEventListener('click', () => {
      for (const each of buttons) each.setAttribute('aria-pressed', String(each === button));
      onChange();
    });
  }
}

function showNoCurves() {
  byId('charts').append(
      element('p', {class: 'panel empty'}, 'Curves appear here once training has logged its first figures.'));
  byId('switches').hidden = true;
  byId('curves-note').hidden = true;
}

function showValidations() {
  const {valid} = run.curves;
  const scores = metrics.map(([key, name]) => [name, valid[key], 2]);
  const columns =
      [['Cost', valid.cost, 4], ['Perplexity', valid.perplexity, 3], ...scores]
          .filter(([, points]) => points.length > 0)
          .map(([name, points, digits]) => [name, new Map(points), digits]);
  const updates = [...new Set(columns.flatMap(([, values]) => [...values.keys()]))].sort((a, b) => a - b);
  byId('validations').hidden = updates.length === 0;
  const head = element(
      'tr', {}, ...['Update', ...columns.map(([name]) => name)].map(name => element('th', {scope: 'col'}, name)));
  const rows = updates.map(update => {
    const cells =
        columns.map(([, values, digits]) => element('td', {}, formatNumber(values.get(update) ?? NaN, digits)));
    return element(
        'tr', update === run.best_update ? {class: 'kept'} : {}, element('th', {scope: 'row'}, formatNumber(update)),
        ...cells);
  });
  byId('validation-table').append(element('thead', {}, head), element('tbody', {}, ...rows));
}

function showConfig() {
  byId('config-section').hidden = run.config.trim() === '';
  for (const line of run.config.trimEnd().split('\n')) {
    const named = /^(\s*(?:- )?[\w.-]+:)(.*)$/.exec(line);
    byId('config').append(
        named ? element('div', {}, element('span', {class: 'name'}, named[1]), named[2]) : element('div', {}, line));
  }
}

showHead();
showFigures();
showChanges();
showCurves();
showValidations();
if (run.snapshots.length > 0) new Samples(run);
byId('samples-section').hidden = run.snapshots.length === 0;
showConfig();
