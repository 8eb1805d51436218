// Formats numbers: suitable multiples of units, three significant digits.

const TIMES = [[3600e3, 'h'], [60e3, 'min'], [1e3, 's'], [1, 'ms'], [1e-3, 'µs'], [1e-6, 'ns']];
const SIZES = [[1e12, 'TB'], [1e9, 'GB'], [1e6, 'MB'], [1e3, 'KB'], [1, 'B']];
const NO_BREAK_SPACE = '\u00a0';
const GROUPED = new Intl.NumberFormat('en-US', {maximumFractionDigits: 0});
const SHORT = new Intl.NumberFormat('en-US', {maximumSignificantDigits: 3});

/** An integer with separated thousands. */
function count(value) {
  return GROUPED.format(value);
}

/** Three significant digits, but all digits before the decimal point. */
function plain(value) {
  return Math.abs(value) >= 1000 ? GROUPED.format(value) : SHORT.format(value);
}

function scaled(value, scales) {
  const size = Math.abs(value);
  const [factor, name] = scales.find(([factor]) => size >= factor) ?? scales[scales.length - 1];
  return plain(value / factor) + NO_BREAK_SPACE + name;
}

/** A value with its unit: 1234.5 and ms give 1.23 s; null and non-numbers give a dash. */
function measure(value, unit) {
  if (value === null || value === undefined || !Number.isFinite(Number(value))) {
    return '–';
  }
  const number = Number(value);
  if (unit === 'ms') {
    return number === 0 ? '0' : scaled(number, TIMES);
  }
  if (unit === 'bytes' || unit === 'bytes/s') {
    return number === 0 ? '0' : scaled(number, SIZES) + unit.slice('bytes'.length);
  }
  return plain(number) + (unit === '' ? '' : NO_BREAK_SPACE + unit);
}

/** Whether values of the unit are shown in multiples, each with its name. */
function hasMultiples(unit) {
  return unit === 'ms' || unit.startsWith('bytes');
}

function percent(part, whole) {
  return whole > 0 ? SHORT.format(100 * part / whole) + NO_BREAK_SPACE + '%' : '–';
}

/** The time of day in UTC, as finely as a plot over spanMs needs it. */
function timeOfDay(timeMs, spanMs) {
  const text = new Date(timeMs).toISOString();
  if (spanMs > 2 * 86400e3) {
    return text.slice(5, 16).replace('T', ' ');
  }
  return spanMs > 600e3 ? text.slice(11, 16) : spanMs > 8e3 ? text.slice(11, 19) : text.slice(11, 23);
}
