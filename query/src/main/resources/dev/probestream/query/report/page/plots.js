// Plots on a time axis, distributions and bars, as options of ECharts. An option is created again when the colours change.

const COLOURS = 9;
const TIP_TEXT = 240;
const FEW_POINTS = 60;
const BAR_HEIGHT = 46;

/** Names that have the same colour in every plot. 4, red, is for what failed, and 8, grey, for what is not known. */
const MEANINGS = {
  'answered': 1, 'status 4xx': 2, 'status 5xx': 4, 'without an answer': 8, 'errors': 4, 'failed': 4,
  'JavaScript': 2, 'garbage collector': 6, 'off the CPU': 5, 'work on the pool': 3, 'network': 1,
  'waiting for the pool (busy, or without a CPU)': 7, 'waiting for the loop': 9, 'something else (timers, databases, slow readers)': 8
};

/** The index of a name's colour in the palette: by what it means, else by its place. Colour 4 (failed) is skipped by places. */
function colourOf(name, index) {
  if (Object.hasOwn(MEANINGS, name)) {
    return MEANINGS[name] - 1;
  }
  const place = index % (COLOURS - 1);
  return place < 3 ? place : place + 1;
}

/** The colours of the page as it is now: light, dark or on paper. */
function colours() {
  const style = getComputedStyle(document.documentElement);
  const of = name => style.getPropertyValue(name).trim();
  return {
    font: getComputedStyle(document.body).fontFamily,
    text: of('--text'),
    quiet: of('--quiet'),
    line: of('--line'),
    card: of('--card'),
    accent: of('--accent'),
    parts: Array.from({length: COLOURS}, (_, index) => of(`--part-${index + 1}`)),
    flames: {js: of('--flame-js'), native: of('--flame-native'), kernel: of('--flame-kernel'), other: of('--flame-other')},
    flameText: of('--flame-text'),
    dimmed: of('--flame-dimmed')
  };
}

/** A tooltip: a heading, and lines of name and value. ECharts inserts an element unchanged, but would parse a text as markup. */
function tip(heading, lines, chosen = null) {
  const list = element('dl', {});
  for (const [name, value, colour] of lines) {
    const swatch = element('i', {class: 'swatch', 'aria-hidden': 'true'});
    swatch.style.background = colour ?? 'transparent';
    list.append(element('dt', {}, swatch, clip(name, TIP_TEXT)), element('dd', {}, value));
  }
  return element('div', {class: 'tip'}, element('strong', {}, clip(heading, TIP_TEXT)), list,
      chosen === null ? null : element('p', {}, clip(chosen, TIP_TEXT)));
}

function tooltip(paint, more) {
  return {
    confine: true,
    backgroundColor: paint.card,
    borderColor: paint.line,
    textStyle: {color: paint.text, fontSize: 12},
    ...more
  };
}

/** An axis of values; a unit without multiples is in the plot's heading only. */
function valueAxis(unit, paint) {
  return {
    type: 'value',
    axisLabel: {color: paint.quiet, formatter: value => hasMultiples(unit) ? measure(value, unit) : plain(value), hideOverlap: true},
    splitLine: {lineStyle: {color: paint.line}}
  };
}

function base(paint, more) {
  return {animation: false, color: paint.parts, backgroundColor: 'transparent', textStyle: {fontFamily: paint.font}, ...more};
}

/** Makes names unique, because ECharts treats lines of one name as one line. */
function distinct(names) {
  const seen = new Map();
  return names.map(name => {
    const number = (seen.get(name) ?? 0) + 1;
    seen.set(name, number);
    return number === 1 ? name : `${name} (${number})`;
  });
}

function number(value) {
  return value === null || !Number.isFinite(Number(value)) ? null : Number(value);
}

/** Lines whose names are in hidden are left out. */
function seriesOption(part, hidden) {
  const paint = colours();
  const times = part.timeMs;
  const spanMs = times[times.length - 1] - times[0];
  const names = distinct(part.lines.map(line => line.name));
  return base(paint, {
    useUTC: true,
    // Left of the first value is half of the label of its time.
    grid: {left: 18, right: 18, top: 12, bottom: 4, containLabel: true},
    legend: {show: false, data: names, selected: Object.fromEntries(names.map(name => [name, !hidden.has(name)]))},
    tooltip: tooltip(paint, {trigger: 'axis', axisPointer: {type: 'line', lineStyle: {color: paint.quiet}},
      formatter: points => tip(`${timeOfDay(points[0].value[0], 0)} UTC`,
          points.map(point => [point.seriesName, measure(point.value[1], part.unit), point.color]),
          `${measure(points[0].value[0] - times[0], 'ms')} since the first value`)}),
    xAxis: {type: 'time', axisLabel: {color: paint.quiet, hideOverlap: true, formatter: time => timeOfDay(time, spanMs)},
      axisLine: {lineStyle: {color: paint.line}}, axisTick: {lineStyle: {color: paint.line}}},
    yAxis: valueAxis(part.unit, paint),
    // Dragging across the plot selects a time range in all time plots.
    toolbox: {itemSize: 0, showTitle: false, feature: {dataZoom: {yAxisIndex: 'none'}}},
    series: part.lines.map((line, index) => lineSeries(line, names[index], times, paint.parts[colourOf(names[index], index)]))
  });
}

/** Whether a value is drawn as a dot: if there are few values, or no line reaches it. */
function isDot(data, index) {
  const isGap = neighbour => (data[neighbour]?.[1] ?? null) === null;
  return data.length <= FEW_POINTS || (isGap(index - 1) && isGap(index + 1));
}

function lineSeries(line, name, times, colour) {
  const data = times.map((time, index) => [time, number(line.values[index] ?? null)]);
  if (line.shape === 'POINTS') {
    return {type: 'scatter', name, data, symbolSize: 5, itemStyle: {opacity: 0.75, color: colour}};
  }
  const isArea = line.shape === 'AREA';
  return {
    type: 'line', name, data, showSymbol: true, symbolSize: (_, {dataIndex}) => isDot(data, dataIndex) ? 4 : 0,
    itemStyle: {color: colour}, lineStyle: {width: 1.75, color: colour}, ...(isArea ? {stack: 'areas', areaStyle: {opacity: 0.35}} : {})
  };
}

/** Bins have equal widths on a logarithmic axis, so the axis counts bins and its labels are the edges. */
function histogramOption(part) {
  const paint = colours();
  const bins = part.counts.length;
  const all = part.counts.reduce((sum, value) => sum + value, 0);
  return base(paint, {
    grid: {left: 4, right: 18, top: part.marks.length > 0 ? 56 : 12, bottom: 4, containLabel: true},
    tooltip: tooltip(paint, {trigger: 'item', formatter: point => tip(
        `${measure(part.edges[point.dataIndex], part.unit)} to ${measure(part.edges[point.dataIndex + 1], part.unit)}`,
        [['count', count(part.counts[point.dataIndex])], ['of all', percent(part.counts[point.dataIndex], all)]])}),
    xAxis: {type: 'value', min: 0, max: bins, minInterval: 1, splitLine: {show: false}, axisLine: {lineStyle: {color: paint.line}},
      axisLabel: {color: paint.quiet, hideOverlap: true, alignMinLabel: 'left', alignMaxLabel: 'right',
        formatter: edge => Number.isInteger(edge) ? measure(part.edges[edge], part.unit) : ''}},
    yAxis: valueAxis('', paint),
    series: [
      {type: 'custom', name: 'count', data: part.counts.map((value, bin) => [bin, value]), encode: {x: 0, y: 1},
        renderItem: (_, api) => binShape(api, paint)},
      {type: 'custom', name: 'marks', silent: true, data: part.marks.map(mark => [bin(part.edges, mark.value), 0]),
        encode: {x: 0, y: 1}, renderItem: (at, api) => markShape(part.marks[at.dataIndex], part.unit, at, api, paint)}
    ]
  });
}

function binShape(api, paint) {
  const [left, top] = api.coord([api.value(0), api.value(1)]);
  const [right, bottom] = api.coord([api.value(0) + 1, 0]);
  return {type: 'rect', shape: {x: left + 0.5, y: top, width: Math.max(right - left - 1, 1), height: bottom - top},
    style: {fill: paint.parts[0]}};
}

/** The position of a value on the axis of bins; between two edges by its logarithm. */
function bin(edges, value) {
  const above = edges.findIndex(edge => edge > value);
  if (above <= 0) {
    return above === 0 ? 0 : edges.length - 1;
  }
  const [low, high] = [edges[above - 1], edges[above]];
  return above - 1 + (low > 0 ? Math.log(value / low) / Math.log(high / low) : value / high);
}

function markShape(mark, unit, at, api, paint) {
  const [x, bottom] = api.coord([api.value(0), 0]);
  const area = at.coordSys;
  const top = area.y - 14 - 14 * (at.dataIndex % 3);
  const isRight = x > area.x + area.width - 90;
  return {type: 'group', children: [
    {type: 'line', shape: {x1: x, y1: top, x2: x, y2: bottom}, style: {stroke: paint.quiet, lineDash: [3, 3]}},
    {type: 'text', style: {text: `${clip(mark.name, 20)} ${measure(mark.value, unit)}`, x: isRight ? x - 4 : x + 4, y: top,
      align: isRight ? 'right' : 'left', fill: paint.text, stroke: paint.card, lineWidth: 3, fontSize: 11, fontFamily: paint.font}}]};
}

/** Labels are above their bars, so that a long URL has the plot's whole width. */
function barsOption(part, width) {
  const paint = colours();
  const names = distinct(part.stacks.map(stack => stack.name));
  const totals = part.labels.map((_, bar) =>
      part.stacks.reduce((sum, stack) => sum + (number(stack.values[bar] ?? null) ?? 0), 0));
  const series = part.stacks.map((stack, index) => ({type: 'bar', stack: 'all', name: names[index], barWidth: 12,
    itemStyle: {color: paint.parts[colourOf(names[index], index)]},
    data: part.labels.map((_, bar) => number(stack.values[bar] ?? null))}));
  series.push({type: 'bar', stack: 'all', name: '', silent: true, data: totals.map(() => 0),
    label: {show: true, position: 'right', color: paint.text, formatter: point => measure(totals[point.dataIndex], part.unit)}});
  return base(paint, {
    grid: {left: 2, right: 76, top: 6, bottom: 26},
    tooltip: tooltip(paint, {trigger: 'axis', axisPointer: {type: 'shadow'}, formatter: points => tip(
        part.labels[points[0].dataIndex],
        points.filter(point => point.seriesIndex < names.length && point.value > 0)
            .map(point => [point.seriesName, measure(point.value, part.unit), point.color]),
        `in all ${measure(totals[points[0].dataIndex], part.unit)}`)}),
    xAxis: {...valueAxis(part.unit, paint), splitNumber: width < 500 ? 3 : 6},
    yAxis: {type: 'category', inverse: true, data: part.labels.map((_, bar) => String(bar)), axisLine: {show: false},
      axisTick: {show: false}, axisLabel: {inside: true, color: paint.text, align: 'left', verticalAlign: 'bottom',
        padding: [0, 0, 10, -6], width: Math.max(width - 20, 60), overflow: 'truncate',
        formatter: bar => clip(part.labels[Number(bar)], 200)}, z: 10},
    series
  });
}

function barsHeight(part) {
  return part.labels.length * BAR_HEIGHT + 32;
}
