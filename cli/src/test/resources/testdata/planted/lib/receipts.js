'use strict';

const PAUSE_MS = 150;

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

// The planted cause: it sleeps before its work.
async function printReceipt() {
  await pause(PAUSE_MS);
  return { isPrinted: true };
}

module.exports = { printReceipt };
