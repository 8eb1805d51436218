// Tables: a click on a column's name sorts; only the first rows are shown at first.

const FIRST_ROWS = 12;
const NARROW = 700;

/** The order of values: nulls last in both directions, numbers by value. */
function compare(a, b, direction) {
  if (a === null || b === null) {
    return (a === null) - (b === null);
  }
  const order = typeof a === 'number' && typeof b === 'number' ? a - b : nameOf(a).localeCompare(nameOf(b), 'en', {numeric: true});
  return direction * order;
}

/** The text of a cell; of a shortened one the full name. */
function nameOf(value) {
  return typeof value === 'object' ? value.full : String(value);
}

function cell(value, column, most) {
  if (value === null || value === undefined) {
    return element('td', {class: column.isNumber ? 'number' : null}, '–');
  }
  if (typeof value === 'object') {
    return element('td', {title: clip(value.full, 1000)}, recorded(value.text));
  }
  if (typeof value !== 'number') {
    return element('td', {class: column.isNumber ? 'number' : null}, recorded(value));
  }
  const made = element('td', {class: most > 0 ? 'number weighed' : 'number'}, measure(value, column.unit));
  made.style.setProperty('--share', String(most > 0 ? 100 * value / most : 0));
  return made;
}

/**
 * The order in which columns are shown. On a narrow screen the column with the bars, which decides, stands next to the first
 * one: the others are reached by scrolling.
 */
function order(columns, rows) {
  const places = columns.map((_, index) => index);
  const weighed = weighedColumn(columns, rows, -1);
  if (innerWidth >= NARROW || weighed < 2) {
    return places;
  }
  return [0, weighed, ...places.filter(index => index !== 0 && index !== weighed)];
}

/** The table with its controls. */
function tableView(title, columns, rows) {
  const places = order(columns, rows);
  const state = {sorted: -1, direction: 1, isWhole: rows.length <= FIRST_ROWS + 3};
  const body = element('tbody');
  const heads = columns.map((column, index) => columnHead(column, () => {
    state.direction = state.sorted === index ? -state.direction : column.isNumber ? -1 : 1;
    state.sorted = index;
    fill();
  }));
  const all = element('button', {type: 'button', class: 'all'}, `Show all ${count(rows.length)} rows`);
  all.addEventListener('click', () => {
    state.isWhole = true;
    fill();
  });

  function fill(isPrinted = false) {
    const sorted = state.sorted < 0 ? rows : [...rows].sort((a, b) =>
        compare(a[state.sorted] ?? null, b[state.sorted] ?? null, state.direction));
    const shown = state.isWhole || isPrinted ? sorted : sorted.slice(0, FIRST_ROWS);
    const weighed = weighedColumn(columns, rows, state.sorted);
    const most = rows.reduce((largest, row) => Math.max(largest, number(row[weighed] ?? null) ?? 0), 0);
    body.replaceChildren(...shown.map(row => element('tr', {}, ...places.map(index =>
        cell(row[index], columns[index], index === weighed ? most : 0)))));
    heads.forEach((head, index) => head.setAttribute('aria-sort',
        index !== state.sorted ? 'none' : state.direction > 0 ? 'ascending' : 'descending'));
    all.hidden = state.isWhole;
  }

  fill();
  addEventListener('beforeprint', () => fill(true));
  addEventListener('afterprint', () => fill());
  return element('div', {class: 'table'},
      element('div', {class: 'scroll', tabindex: '0', role: 'region', 'aria-label': clip(title, 100)},
          element('table', {}, element('thead', {}, element('tr', {}, ...places.map(index => heads[index]))), body)),
      all);
}

function columnHead(column, onClick) {
  const button = element('button', {type: 'button'}, clip(column.name, 60));
  button.addEventListener('click', onClick);
  return element('th', {scope: 'col', class: column.isNumber ? 'number' : null}, button);
}

/**
 * The column with bars behind its numbers: the sorted one, or the first one with an amount (a status is not one); -1 = none.
 */
function weighedColumn(columns, rows, sorted) {
  const index = sorted >= 0 ? sorted : columns.findIndex(column => column.isNumber && column.unit !== '');
  const isFit = index >= 0 && columns[index].isNumber && rows.every(row => typeof row[index] !== 'number' || row[index] >= 0);
  return isFit ? index : -1;
}
