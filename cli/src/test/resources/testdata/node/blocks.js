'use strict';
// Blocks its event loop where a line of its input asks for it, and answers when it goes on.
//   timer MS       in a setTimeout
//   immediate MS   in a setImmediate
//   child MS       in a spawnSync, which runs a loop of its own meanwhile
//   after MS       in a setTimeout, after a spawnSync that ends at once
//   promises N     not at all: N timers one after the other, each with one microtask
//   stats N        not at all: N calls of fs.stat() one after the other
//   worker MS      in a timer of a Worker, which is called blocker
//   read FILE      with a readFileSync in a setTimeout of 60 ms
//   end
const { Worker } = require('worker_threads');
const fs = require('fs');

function block(ms) {
  const end = process.hrtime.bigint() + BigInt(ms) * 1000000n;
  while (process.hrtime.bigint() < end);
}

function answer() {
  process.stdout.write('done\n');
}

function repeat(n, call) {
  call(() => (n > 1 ? repeat(n - 1, call) : answer()));
}

const asked = {
  timer: (ms) => setTimeout(() => { block(ms); answer(); }, 5),
  immediate: (ms) => setImmediate(() => { block(ms); answer(); }),
  child: (ms) => setTimeout(() => {
    require('child_process').spawnSync('sleep', [String(ms / 1000)]);
    answer();
  }, 5),
  after: (ms) => setTimeout(() => {
    require('child_process').spawnSync('true');
    block(ms);
    answer();
  }, 5),
  promises: (n) => repeat(n, (next) => setTimeout(() => queueMicrotask(next), 1)),
  stats: (n) => repeat(n, (next) => fs.stat(__filename, next)),
  worker: (ms) => new Worker(
    `(${block}); setTimeout(() => { (${block})(${Number(ms)}); setTimeout(() => {}, 200); }, 100)`,
    { eval: true, name: 'blocker' }).on('exit', answer),
  read: (file) => setTimeout(() => { block(60); fs.readFileSync(file); answer(); }, 5),
  end: () => process.exit(0),
};

require('readline').createInterface({ input: process.stdin }).on('line', (line) => {
  const [what, argument] = line.split(' ');
  asked[what](argument);
});
process.stdout.write('ready\n');
