'use strict';
const http = require('http');
const truth = require('../truth');
const { ask } = require('./backend');

// The planted cause: what more than two at a time ask for waits in the agent's queue.
const agent = new http.Agent({ keepAlive: true, maxSockets: 2 });

async function fetchStock() {
  truth.count('asked', '/stock');
  return ask(agent, '/stock');
}

module.exports = { fetchStock };
