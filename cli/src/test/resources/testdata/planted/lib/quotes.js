'use strict';
const http = require('http');
const truth = require('../truth');
const { askBackend } = require('./backend');

const HOST = 'quotes.partner.test';

// The planted cause: without an agent each request connects anew, hence looks the name up anew, by the C library.
async function fetchQuote() {
  truth.count('lookups', HOST);
  return askBackend(false, HOST);
}

module.exports = { fetchQuote };
