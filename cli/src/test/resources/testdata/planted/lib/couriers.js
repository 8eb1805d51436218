'use strict';
const http = require('http');
const truth = require('../truth');
const { ask } = require('./backend');

const agent = new http.Agent({ keepAlive: true });
const MOST = 3;
const waiting = [];
let underWay = 0;

// Runs at most so many at a time.
async function limited(work) {
  if (underWay >= MOST) await new Promise((go) => waiting.push(go));
  else underWay++;
  try {
    return await work();
  } finally {
    if (waiting.length > 0) waiting.shift()();
    else underWay--;
  }
}

// The planted cause: the limit is too low for what is asked.
async function findCourier() {
  truth.count('asked', '/stock');
  return limited(() => ask(agent, '/stock'));
}

module.exports = { findCourier };
