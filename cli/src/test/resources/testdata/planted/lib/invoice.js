'use strict';
const crypto = require('crypto');

const SEAL_MS = 40;
const TRIAL = 20000;

// So many iterations take SEAL_MS on this machine: the fastest of a few trials counts.
function measuredIterations() {
  let fastestMs = Infinity;
  for (let trial = 0; trial < 5; trial++) {
    const from = process.hrtime.bigint();
    crypto.pbkdf2Sync('invoice', 'a salt', TRIAL, 64, 'sha512');
    fastestMs = Math.min(fastestMs, Number(process.hrtime.bigint() - from) / 1e6);
  }
  return Math.ceil((TRIAL * SEAL_MS) / fastestMs);
}

const iterations = measuredIterations();

// The planted cause: each takes the loop for tens of milliseconds.
function sealInvoice(id) {
  return crypto.pbkdf2Sync(`invoice ${id}`, 'a salt', iterations, 64, 'sha512').toString('hex');
}

async function makeInvoice(id) {
  return { id, seal: sealInvoice(id) };
}

module.exports = { makeInvoice };
