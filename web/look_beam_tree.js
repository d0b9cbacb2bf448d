// The tree of the beam search and where its parts go: nothing here touches the document.
'use strict';

const beamLane = 32;               // pixels from one lane to the next
const beamGap = [30, 72];          // between columns, as there is room
const beamRow = 52;                // from row to row where time runs downwards
const beamNarrow = 620;            // below this width time runs downwards
const beamChipLimit = 150;         // the widest chip of one piece
const beamPrunedLimit = 4;         // shown in the tree; the table has them all
const beamRunLimits = [460, 220];  // of a run, where there is room and where not

// The steps with every node linked to its parent and its children.
function beamTree(steps) {
  const levels = steps.map((list, step) => list.map((node, index) => ({...node, step, index, children: []})));
  for (const node of levels.flat()) {
    node.from = node.step > 0 ? levels[node.step - 1][node.parent] : null;
    if (node.from) node.from.children.push(node);
  }
  return levels;
}

function beamPath(node) {
  const path = [];
  for (let at = node; at; at = at.from) path.unshift(at);
  return path;
}

// The text of all pieces up to a node.
function beamText(node) {
  const pieces = beamPath(node).map(each => each.piece).filter(piece => piece !== '</s>');
  return pieces.join('').replaceAll('▁', ' ').trim();
}

function lengthPenalty(length, {alpha, length_penalty: kind}) {
  return kind === 'power' ? length ** alpha : ((5 + length) / 6) ** alpha;
}

// What the tree shows after `step`: with `all` every node that was ever kept, otherwise only those that lead to a
// hypothesis that is still open or finished. The candidates of the step itself are always there.
function beamShown(levels, step, all) {
  const shown = new Set(levels[step]);
  for (const node of levels.slice(0, step + 1).flat()) {
    const survives = node.state === 'ended' || (node.state === 'live' && node.step === step);
    if (all && node.state !== 'pruned') shown.add(node);
    if (survives) beamPath(node).forEach(each => shown.add(each));
  }
  if (!all) levels[step].forEach(node => beamPath(node).forEach(each => shown.add(each)));
  return shown;
}

// Columns of chips. A chip is a run of nodes: of one, or, when collapsed, of all those between two branchings.
function beamColumns(levels, step, {all, narrow}) {
  const shown = beamShown(levels, step, all);
  const columns = [];
  for (let t = 0; t <= step; ++t) {
    const kept = levels[t].filter(node => shown.has(node) && node.state !== 'pruned');
    const pruned = levels[t].filter(node => shown.has(node) && node.state === 'pruned');
    const nodes = [...kept, ...pruned.slice(0, narrow ? 0 : beamPrunedLimit)];
    const before = columns[columns.length - 1];
    const straight = !all && t > 0 && t < step && before.length === nodes.length &&
        before.every(run => nodes.some(node => node.from === run[run.length - 1]));
    if (straight)
      columns[columns.length - 1] = nodes.map(node => [...before.find(run => run[run.length - 1] === node.from), node]);
    else
      columns.push(nodes.map(node => [node]));
  }
  return columns;
}

// Places the chips: {run, x, y, width} for each, time to the right or, when narrow, downwards.
function beamLayout(columns, {narrow, width, measure, gap}) {
  let along = narrow ? beamRow : measure([]) + gap;
  const across = Math.max(...columns.map(column => column.length));
  const placed = columns.map(column => {
    const chips = column.map(run => ({run, width: measure(run)}));
    const room = Math.max(52, width / column.length - 8);
    const columnWidth = Math.max(...chips.map(chip => chip.width));
    chips.forEach((chip, lane) => {
      if (narrow) {
        chip.width = Math.min(chip.width, room);
        Object.assign(chip, {x: (lane + 0.5) * (room + 8) - chip.width / 2, y: along});
      } else {
        Object.assign(chip, {x: along, y: lane * beamLane, width: columnWidth});
      }
    });
    along += narrow ? beamRow : columnWidth + gap;
    return chips;
  });
  const widest = Math.max(width, across * 60);
  return narrow ? {placed, width: widest, height: along} : {placed, width: along - gap, height: across * beamLane};
}

function runText(run) {
  if (run.length === 1) return pieceLabel(run[0].piece);
  return run.map(node => node.piece).join('').replaceAll('▁', ' ').trim();
}
