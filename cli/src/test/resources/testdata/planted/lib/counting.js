'use strict';
const http = require('http');
const { ask } = require('./backend');

const agent = new http.Agent({ keepAlive: true });
let last = Promise.resolve();

// Runs one after the other.
function inTurn(work) {
  const turn = last.then(work);
  last = turn.catch(() => {});
  return turn;
}

// The planted cause: all wait for their turn.
async function countStock() {
  return inTurn(() => ask(agent, '/stock'));
}

// As it should be, behind a timer.
async function countLater() {
  await new Promise((done) => setTimeout(done, 50));
  return ask(agent, '/stock');
}

module.exports = { countStock, countLater };
