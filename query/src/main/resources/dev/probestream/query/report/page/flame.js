// Flame graphs: the root at the top, callees below. A click, Enter or the search zooms.

const ROW_HEIGHT = 20;
const THINNEST = 0.5;

/** A graph and its visible part. The functions are in one array, each before its callees. */
class FlameGraph {
  constructor(part) {
    this.unit = part.unit;
    this.frames = [];
    this.add(part.root, -1, 0, 0);
    this.top = 0; // the frame with the whole width
    this.current = 0; // the frame with the keyboard focus
    this.wanted = '';
    this.depth = this.frames.reduce((most, frame) => Math.max(most, frame.depth), 0) + 1;
  }

  add(node, parent, start, depth) {
    const own = this.frames.length;
    const frame = {node, parent, start, depth, value: number(node.value) ?? 0, children: [], text: label(node)};
    this.frames.push(frame);
    let next = start;
    for (const child of [...node.children].sort((a, b) => b.value - a.value)) {
      frame.children.push(this.add(child, own, next, depth + 1));
      next += number(child.value) ?? 0;
    }
    return own;
  }

  /** The frames to draw at a width in pixels, with left and right edge from 0 to 1. */
  shown(width) {
    const top = this.frames[this.top];
    const whole = top.value > 0 ? top.value : 1;
    const data = [];
    for (let frame = this.top; frame >= 0; frame = this.frames[frame].parent) {
      data.push([frame, 0, 1]);
    }
    const gather = index => {
      for (const child of this.frames[index].children) {
        const {start, value} = this.frames[child];
        const left = (start - top.start) / whole;
        const right = Math.min((start + value - top.start) / whole, 1);
        if ((right - left) * width >= THINNEST) {
          data.push([child, left, right]);
          gather(child);
        }
      }
    };
    gather(this.top);
    return data;
  }

  isFound(frame) {
    return this.wanted !== '' && (frame.text + ' ' + frame.node.full).toLowerCase().includes(this.wanted);
  }

  /** The value of all matches; a match within another is not counted again. */
  foundValue() {
    const below = index => {
      const frame = this.frames[index];
      return this.isFound(frame) ? frame.value : frame.children.reduce((sum, child) => sum + below(child), 0);
    };
    return below(0);
  }

  describe(index) {
    const frame = this.frames[index];
    return `${frame.text}: ${measure(frame.value, this.unit)}, ${percent(frame.value, this.frames[0].value)} of all`;
  }

  /** Moves the keyboard focus to the caller, the first callee, or a neighbour. */
  move(key) {
    const frame = this.frames[this.current];
    const row = frame.parent < 0 ? [this.current] : this.frames[frame.parent].children;
    const place = row.indexOf(this.current);
    const next = {ArrowUp: frame.parent, ArrowDown: frame.children[0], ArrowLeft: row[place - 1], ArrowRight: row[place + 1]}[key];
    if (next !== undefined && next >= 0) {
      this.current = next;
    }
  }

  /** Each function with its own value and its total with callees; recursion is counted once. */
  functions() {
    const found = new Map();
    const gather = (index, callers) => {
      const {node, value, children, text} = this.frames[index];
      const key = node.full === '' ? text : node.full;
      const entry = found.get(key) ?? {node, self: 0, total: 0};
      const called = children.reduce((sum, child) => sum + this.frames[child].value, 0);
      entry.self += Math.max(value - called, 0);
      const isOutermost = !callers.has(key);
      entry.total += isOutermost ? value : 0;
      found.set(key, entry);
      callers.add(key);
      children.forEach(child => gather(child, callers));
      if (isOutermost) {
        callers.delete(key);
      }
    };
    this.frames[0].children.forEach(child => gather(child, new Set()));
    return [...found.values()].sort((a, b) => b.self - a.self || b.total - a.total);
  }
}

const KINDS = {js: 'JavaScript', native: 'native', kernel: 'kernel', other: 'other'};

function kindOf(node) {
  return Object.hasOwn(KINDS, node.type) ? node.type : 'other';
}

function place(node) {
  return node.file === '' ? '' : node.line > 0 ? `${node.file}:${node.line}` : node.file;
}

/** With the line that most of it is at, in what the file was made from. */
function placeWithSource(node) {
  return node.source === '' ? place(node) : `${place(node)}, source ${node.source}`;
}

function label(node) {
  const where = place(node);
  return where === '' || node.name.includes(where) ? node.name : `${node.name} ${where}`;
}

/** The same function has the same shade in every graph: its kind's colour, mixed a little with the background. */
function shade(colour, background, name) {
  let hash = 7;
  for (let index = 0; index < Math.min(name.length, 100); index++) {
    hash = (hash * 31 + name.charCodeAt(index)) | 0;
  }
  return echarts.color.lerp((Math.abs(hash) % 9) / 24, [colour, background]);
}

function flameOption(graph, width) {
  const paint = colours();
  return base(paint, {
    grid: {left: 0, right: 0, top: 0, bottom: 0},
    xAxis: {type: 'value', show: false, min: 0, max: 1},
    yAxis: {type: 'value', show: false, inverse: true, min: 0, max: graph.depth},
    tooltip: tooltip(paint, {trigger: 'item', formatter: point => {
      const {node, value} = graph.frames[point.value[0]];
      return tip(node.full === '' ? node.name : node.full, [
        ['in all', measure(value, graph.unit)],
        ['of all', percent(value, graph.frames[0].value)],
        ['of what is shown', percent(value, graph.frames[graph.top].value)],
        ['kind', KINDS[kindOf(node)]]], placeWithSource(node));
    }}),
    series: [{type: 'custom', clip: true, encode: {x: [1, 2]}, data: graph.shown(width),
      renderItem: (_, api) => frameShape(graph, api, paint)}]
  });
}

function frameShape(graph, api, paint) {
  const index = api.value(0);
  const frame = graph.frames[index];
  const [left, top] = api.coord([api.value(1), frame.depth]);
  const [right] = api.coord([api.value(2), frame.depth]);
  const width = Math.max(right - left - 1, THINNEST);
  const isDimmed = graph.wanted !== '' && !graph.isFound(frame);
  const isCurrent = index === graph.current && index !== 0;
  return {
    type: 'rect',
    shape: {x: left, y: top, width, height: ROW_HEIGHT - 1, r: 2},
    style: {
      fill: isDimmed ? paint.dimmed : shade(paint.flames[kindOf(frame.node)], paint.dimmed, frame.node.name),
      opacity: frame.depth < graph.frames[graph.top].depth ? 0.6 : 1,
      stroke: isCurrent ? paint.text : null, lineWidth: isCurrent ? 2 : 0},
    textConfig: {position: 'insideLeft', distance: 4},
    textContent: width < 28 ? null : {style: {text: clip(frame.text, 200), width: width - 8, overflow: 'truncate',
      ellipsis: '…', fill: isDimmed ? paint.quiet : paint.flameText,
      fontSize: 11, fontFamily: paint.font}}
  };
}
