'use strict';
const crypto = require('crypto');
const os = require('os');
const { Worker, isMainThread, parentPort } = require('worker_threads');

const BATCH_MS = 4000;

// The planted cause, in each worker: it takes all the CPU time that it gets.
function sharpenPictures(untilMs) {
  const row = new Float64Array(4096).fill(1);
  let sharpened = 0;
  while (Date.now() < untilMs) {
    for (let pass = 0; pass < 40; pass++) {
      for (let i = 1; i < row.length - 1; i++) row[i] = (row[i - 1] + 3 * row[i] + row[i + 1]) / 5 + (i % 3);
    }
    sharpened++;
  }
  return sharpened;
}

// Many more workers than the machine has CPUs: they have most of them also beside other processes.
let workers = [];
function startWorkers() {
  workers = Array.from({ length: 4 * os.cpus().length }, () => new Worker(__filename));
}

// All of them at once, and not waited for.
async function sharpenAll() {
  for (const worker of workers) worker.postMessage(Date.now() + BATCH_MS);
  return { workers: workers.length };
}

// A few milliseconds on the loop's thread, which is nothing to complain about.
async function signPage() {
  return { signature: crypto.pbkdf2Sync('page', 'a salt', 5000, 32, 'sha512').toString('hex') };
}

if (!isMainThread) parentPort.on('message', (untilMs) => parentPort.postMessage(sharpenPictures(untilMs)));

module.exports = { startWorkers, sharpenAll, signPage };
