'use strict';
const truth = require('../truth');
const { query } = require('./database');

const TOTALS = 'SELECT pg_sleep($1), $2::int AS month';

// The planted cause, where it is many seconds.
async function loadReport(seconds) {
  truth.count('statements', TOTALS);
  return query(TOTALS, [seconds, 11]);
}

module.exports = { loadReport };
