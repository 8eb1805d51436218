'use strict';
const http = require('http');
const truth = require('../truth');
const { ask } = require('./backend');

const agent = new http.Agent({ keepAlive: true });
const ATTEMPTS = 3;

// The planted cause.
async function fetchBasket(id) {
  for (let attempt = 1; ; attempt++) {
    truth.count('asked', 'GET /flaky');
    const { status } = await ask(agent, `/flaky/${id}`);
    if (status === 200 || attempt === ATTEMPTS) return { status };
  }
}

module.exports = { fetchBasket };
