'use strict';
const fs = require('node:fs');
require('chatty');

function openByCommonJs() {
  fs.closeSync(fs.openSync('/etc/hostname'));
}

// As many frames of JavaScript as Error sees, and one more: openSync itself.
function openDeepDown(depth) {
  if (depth > 0) {
    return openDeepDown(depth - 1);
  }
  Error.stackTraceLimit = Infinity;
  const frames = new Error().stack.split('\n').length - 1;
  fs.closeSync(fs.openSync('/etc/passwd'));
  return frames + 1;
}

async function answer(line) {
  if (line === 'commonjs') {
    openByCommonJs();
  } else if (line === 'esm') {
    (await import('./module.mjs')).openByModule();
  } else if (line === 'deep') {
    return openDeepDown(20);
  }
  return 'done';
}

require('node:readline').createInterface({ input: process.stdin }).on('line', async (line) => {
  console.log(await answer(line));
});
console.log('ready');
