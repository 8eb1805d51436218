// The parts of a section as figures: a plot, and its numbers as a table.

const LEGEND_TEXT = 60;
const PLOT_HEIGHT = 240;
const DEEPEST_ROWS = 40;

/** Every plot of the page. */
const plots = [];

/** A plot that follows the size of its box and the colours of the page. */
class Plot {
  constructor(box, height, option) {
    this.box = box;
    this.option = option;
    box.style.height = `${height}px`;
    this.chart = echarts.init(box, null, {renderer: 'canvas'});
    this.chart.on('finished', () => box.setAttribute('data-drawn', 'true'));
    plots.push(this);
    this.draw();
    new ResizeObserver(() => this.fit()).observe(box);
  }

  draw() {
    this.width = this.box.clientWidth;
    this.chart.setOption(this.option(this.width), {notMerge: true});
    this.onDrawn?.();
  }

  fit() {
    if (this.box.clientWidth !== this.width && this.box.clientWidth > 0) {
      this.chart.resize();
      this.draw();
    }
  }
}

function numbersOf(title, columns, rows) {
  const details = element('details', {class: 'numbers'}, element('summary', {}, 'The numbers'));
  details.addEventListener('toggle', () => {
    if (details.open && details.childElementCount === 1) {
      details.append(tableView(title, columns, rows()));
    }
  });
  return details;
}

function column(name, unit, isNumber = true) {
  return {name, unit, isNumber};
}

function nothing() {
  return element('p', {class: 'nothing'}, 'Nothing recorded.');
}

/** A figure whose plot is drawn after it is in the page, because a plot needs its width. */
function plotFigure(part, height, option, onPlot = () => {}) {
  const box = element('div', {class: 'plot', role: 'img', 'aria-label': `${clip(part.title, 200)}: a plot; its numbers follow as a table`});
  let plot = null;
  return {box, redraw: () => plot?.draw(), draw: () => {
    plot = new Plot(box, height, option);
    onPlot(plot);
  }};
}

/** The legend, in the order of ECharts' palette; with onToggle each name is a button that hides its line. */
function legend(names, onToggle = null) {
  if (names.length < 2) {
    return null;
  }
  return element('ul', {class: 'legend'}, ...names.map((name, index) => {
    const swatch = element('i', {class: 'swatch', 'aria-hidden': 'true'});
    swatch.style.background = `var(--part-${colourOf(name, index) + 1})`;
    if (onToggle === null) {
      return element('li', {}, swatch, clip(name, LEGEND_TEXT));
    }
    const button = element('button', {type: 'button', 'aria-pressed': 'true'}, swatch, clip(name, LEGEND_TEXT));
    button.addEventListener('click', () => button.setAttribute('aria-pressed', String(onToggle(name))));
    return element('li', {}, button);
  }));
}

const PARTS = {
  series(part) {
    if (part.timeMs.length === 0 || part.lines.length === 0) {
      return {content: [nothing()]};
    }
    const hidden = new Set();
    const names = distinct(part.lines.map(line => line.name));
    const {box, draw, redraw} = plotFigure(part, PLOT_HEIGHT, () => seriesOption(part, hidden), chooseTime);
    const toggle = name => {
      hidden.delete(name) || hidden.add(name);
      redraw();
      return !hidden.has(name);
    };
    const columns = [column('time (UTC)', '', false), ...part.lines.map(line => column(line.name, part.unit))];
    return {draw, content: [legend(names, toggle), box, numbersOf(part.title, columns, () => part.timeMs.map((time, index) =>
        [timeOfDay(time, 0), ...part.lines.map(line => number(line.values[index] ?? null))]))]};
  },

  histogram(part) {
    if (part.counts.every(value => value === 0)) {
      return {content: [nothing()]};
    }
    const {box, draw} = plotFigure(part, PLOT_HEIGHT, () => histogramOption(part));
    const columns = [column('from', part.unit), column('to', part.unit), column('count', '')];
    return {draw, content: [box, numbersOf(part.title, columns, () => part.counts.map((value, index) =>
        [part.edges[index], part.edges[index + 1], value]))]};
  },

  bars(part) {
    if (part.labels.length === 0 || part.stacks.length === 0) {
      return {content: [nothing()]};
    }
    const {box, draw} = plotFigure(part, barsHeight(part), width => barsOption(part, width));
    const columns = [column('', '', false), ...part.stacks.map(stack => column(stack.name, part.unit))];
    return {draw, content: [legend(distinct(part.stacks.map(stack => stack.name))), box, numbersOf(part.title, columns, () => part.labels.map((name, bar) =>
        [name, ...part.stacks.map(stack => number(stack.values[bar] ?? null))]))]};
  },

  table(part) {
    return {content: [part.rows.length === 0 ? nothing() : tableView(part.title, part.columns, part.rows)]};
  },

  flame(part) {
    if (!(part.root.value > 0) || part.root.children.length === 0) {
      return {content: [nothing()]};
    }
    return flameView(part);
  },

  words(part) {
    return {content: [element('p', {class: 'words'}, recorded(part.text, LONGEST_SENTENCES))]};
  }
};

/** The selected time range, for plots that are drawn again: part of a dataZoom action of ECharts; null = all. */
let chosenTime = null;

/** Dragging across a time plot zooms all of them; a double click resets the zoom. Touch scrolls the page. */
function chooseTime(plot) {
  const {chart} = plot;
  chart.group = 'time';
  chart.on('datazoom', event => {
    const {startValue, endValue} = event.batch?.[0] ?? event;
    chosenTime = startValue === undefined ? null : {startValue, endValue};
  });
  plot.onDrawn = () => {
    if (!matchMedia('(pointer: coarse)').matches) {
      chart.dispatchAction({type: 'takeGlobalCursor', key: 'dataZoomSelect', dataZoomSelectActive: true, escapeConnect: true});
    }
    if (chosenTime !== null) {
      chart.dispatchAction({type: 'dataZoom', ...chosenTime, escapeConnect: true});
    }
  };
  plot.onDrawn();
  chart.getZr().on('dblclick', () => chart.dispatchAction({type: 'dataZoom', start: 0, end: 100}));
}

function flameView(part) {
  const graph = new FlameGraph(part);
  const {box, draw} = plotFigure(part, graph.depth * ROW_HEIGHT, width => flameOption(graph, width), plot => control(plot));
  const says = element('output', {class: 'says'}, graph.describe(0));
  const search = element('input', {type: 'search', placeholder: 'Search functions and files', 'aria-label': 'Search functions and files'});
  const reset = element('button', {type: 'button'}, 'Show all');
  const scroll = element('div', {class: 'scroll flame', tabindex: '0', role: 'application',
    'aria-label': `${clip(part.title, 200)}: arrow keys go through the functions, Enter widens, Escape shows all`}, box);
  scroll.style.maxHeight = `${DEEPEST_ROWS * ROW_HEIGHT}px`;
  box.setAttribute('role', 'presentation');

  function control(plot) {
    const show = (index, isWide) => {
      graph.current = index;
      graph.top = isWide ? index : graph.top;
      says.textContent = graph.describe(index);
      plot.draw();
    };
    plot.chart.on('click', point => show(point.value[0], true));
    reset.addEventListener('click', () => show(0, true));
    search.addEventListener('input', () => {
      graph.wanted = search.value.trim().toLowerCase();
      says.textContent = graph.wanted === '' ? graph.describe(graph.top)
        : `found in ${percent(graph.foundValue(), graph.frames[0].value)} of all ${graph.unit}`;
      plot.draw();
    });
    scroll.addEventListener('keydown', event => {
      if (event.key.startsWith('Arrow')) {
        graph.move(event.key);
        show(graph.current, false);
      } else if (event.key === 'Enter') {
        show(graph.current, true);
      } else if (event.key === 'Escape') {
        show(0, true);
      } else {
        return;
      }
      event.preventDefault();
    });
  }

  const types = [...new Set(graph.frames.slice(1).map(frame => kindOf(frame.node)))].sort();
  const columns = [column('function', '', false), column('where', '', false), column('itself', part.unit),
    column('with what it called', part.unit)];
  return {draw, content: [
    element('div', {class: 'tools'}, search, reset,
        element('span', {class: 'kinds'}, ...types.map(type => element('span', {class: `kind ${type}`}, KINDS[type])))),
    scroll, says,
    numbersOf(part.title, columns, () => graph.functions().map(({node, self, total}) => [node.name, place(node), self, total]))]};
}

/** The unit of the values, for the heading. */
function unitOf(part) {
  const unit = part.kind === 'histogram' ? '' : part.unit ?? '';
  return unit === '' || hasMultiples(unit) ? null : element('span', {class: 'unit'}, clip(unit, 30));
}

/** A part as a figure; one that cannot be drawn shows a message and does not affect the others. */
function figure(part, level) {
  const view = PARTS[part.kind](part);
  const made = element('figure', {class: `part ${part.kind}`},
      part.title === '' ? null : element(level, {}, recorded(part.title), unitOf(part)), ...view.content);
  return {made, draw: () => {
    try {
      view.draw?.();
    } catch (problem) {
      console.error(problem);
      made.append(element('p', {class: 'nothing'}, 'This plot could not be drawn.'));
    }
  }};
}
