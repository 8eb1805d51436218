'use strict';
const http = require('http');
const truth = require('../truth');
const { ask } = require('./backend');

const agent = new http.Agent({ keepAlive: true });

// The planted cause is the backend's: one answer of ten takes long.
async function fetchTariff() {
  truth.count('asked', '/tariff');
  return ask(agent, '/tariff');
}

module.exports = { fetchTariff };
