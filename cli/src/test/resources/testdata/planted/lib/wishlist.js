'use strict';
const http = require('http');
const truth = require('../truth');
const { ask } = require('./backend');

const agent = new http.Agent({ keepAlive: true });
const WISHES = 15;

// The planted cause: a call for each, one after the other.
async function loadWishes() {
  for (let id = 1; id <= WISHES; id++) {
    truth.count('asked', '/wish');
    await ask(agent, `/wish/${id}`);
  }
  return { wishes: WISHES };
}

module.exports = { loadWishes };
