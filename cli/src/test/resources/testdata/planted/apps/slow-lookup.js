'use strict';
// Each request waits for a name server that answers late; the C library asks it, on the thread pool.
const { fetchQuote } = require('../lib/quotes');

const routes = { '/quote': fetchQuote, '/health': async () => ({ isWell: true }) };

module.exports = { routes };
