'use strict';
const { execFileSync } = require('child_process');
const fs = require('fs');
const path = require('path');

const PIPE = path.join(__dirname, '..', `events-${process.pid}.pipe`);

function makePipe() {
  execFileSync('mkfifo', [PIPE]);
}

// The planted cause where nobody writes: opening it waits for a writer, on a thread of the pool.
async function readEvents() {
  return fs.promises.readFile(PIPE);
}

async function writeEvents() {
  return fs.promises.writeFile(PIPE, 'an event');
}

module.exports = { makePipe, readEvents, writeEvents };
