'use strict';
const licence = require('licence');
const addon = require(process.env.ADDON);

function priceOrder() {
  throw new TypeError('no price for token=s3cr3tvalue');
}

async function loadUser() {
  await new Promise((resolve) => setTimeout(resolve, 20));
  throw new Error('no such user');
}

function giveUp() {
  process.abort();
}

function walkTree(depth) {
  return walkTree(depth + 1) + 1;
}

function collectRows() {
  const rows = [];
  for (;;) {
    rows.push(new Array(1000).fill(rows.length));
  }
}

function decodeImage() {
  addon.decode();
}

function missingPart() {
  return Object.assign(new Error('part missing'), { code: 'EPART' });
}

function failStream() {
  new (require('node:events'))().emit('error', missingPart());
}

function exitOnRejection(exit) {
  process.on('unhandledRejection', (error) => {
    console.error(error.message);
    exit();
  });
}

function exitNow() {
  process.exit(1);
}

// As a handler does that waits until its log is written.
function exitSoon() {
  setTimeout(exitNow, 200);
}

async function loadPart() {
  await new Promise((resolve) => setTimeout(resolve, 20));
  throw new Error('no such part');
}

async function refuse() {
  throw new Error('refused');
}

// The handler of rejections gets nothing: the rejection of refuse() is handled, and the exit has another cause.
async function exitForAnotherCause() {
  try {
    await refuse();
  } catch {
    licence.check();
  }
}

module.exports = {
  throw: () => priceOrder(),
  reject: () => loadUser(),
  abort: () => giveUp(),
  stack: () => walkTree(0),
  heap: () => collectRows(),
  addon: () => decodeImage(),
  emit: () => failStream(),
  exit: () => licence.check(),
  rejectHandled: () => {
    exitOnRejection(exitNow);
    loadPart();
  },
  rejectLogged: () => {
    exitOnRejection(exitSoon);
    loadPart();
  },
  rejectCaught: () => {
    exitOnRejection(exitNow);
    exitForAnotherCause();
  },
};
