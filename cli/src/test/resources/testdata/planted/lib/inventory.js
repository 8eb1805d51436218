'use strict';
const http = require('http');
const truth = require('../truth');
const { ask } = require('./backend');

const agent = new http.Agent({ keepAlive: true });

// The planted cause is at the other end, which resets connections.
async function callInventory(id) {
  truth.count('asked', 'GET /resets');
  return ask(agent, `/resets/${id}`);
}

module.exports = { callInventory };
