'use strict';
const http = require('http');
const truth = require('../truth');
const { ask } = require('./backend');

const agent = new http.Agent({ keepAlive: true });
const TOO_MANY_REQUESTS = 429;
const ATTEMPTS = 3;

// The planted cause: it asks again at once, and so adds to what the backend refuses.
async function trackParcel(id) {
  for (let attempt = 1; ; attempt++) {
    truth.count('asked', 'GET /busy');
    const { status } = await ask(agent, `/busy/${id}`);
    if (status !== TOO_MANY_REQUESTS || attempt === ATTEMPTS) return { status };
  }
}

module.exports = { trackParcel };
