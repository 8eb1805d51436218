'use strict';
// Prints the async callers that Error.stack shows at each call of here(), which then calls uv_fs_link once.
const fs = require('fs');
const { AsyncLocalStorage } = require('async_hooks');
const { Worker, isMainThread, parentPort } = require('worker_threads');

const tick = (ms = 1) => new Promise((resolve) => setTimeout(resolve, ms));
function here(label) {
  const lines = new Error().stack.split('\n').slice(1).map((line) => line.trim());
  fs.writeSync(1, [label, ...lines.filter((line) => line.startsWith('at async '))].join('\t') + '\n');
  try {
    fs.linkSync('/nonexistent/a', '/nonexistent/b');
  } catch {}
}

async function five() { await tick(); here('nested'); }
async function four() { await five(); }
async function three() { await four(); }
async function two() { await three(); }
async function one() { await two(); }

async function inside(label) { await tick(); here(label); }
async function all() { await Promise.all([tick(9), inside('all'), tick(5)]); }
async function allOfMany() { await Promise.all(Array.from({ length: 300 }, (_, i) => i === 270 ? inside('all of 300') : tick(9))); }
async function allSettled() { await Promise.allSettled([tick(9), inside('allSettled'), tick(5)]); }
async function any() { await Promise.any([tick(9), inside('any'), tick(15)]); }
async function race() { await Promise.race([tick(9), inside('race'), tick(15)]); }
async function allInAll() { await Promise.all([tick(9), Promise.all([inside('all in all')])]); }

async function* generator() { await tick(); here('generator'); yield 1; await tick(); here('generator again'); yield 2; }
async function* delegating() { yield* generator(); }
async function loop() { for await (const x of generator()) here('loop ' + x); }
async function delegatingLoop() { for await (const x of delegating()) here('delegating loop ' + x); }
async function* ofSync() { for await (const x of [inside('for await of an array'), 2]) yield x; }
async function loopOfSync() { for await (const x of ofSync()) here('loop of sync'); }

async function tryFinally() {
  try {
    await tick();
    throw new Error('expected');
  } catch {
    await tick();
    here('catch');
  } finally {
    await inside('finally');
  }
}
async function throws() { await tick(); throw new Error('expected'); }
async function catches() { try { await throws(); } catch { here('after a rejection'); } }

class Methods {
  arrow = async () => { await tick(); here('arrow of a class'); };
  async method() { await this.arrow(); }
  static async statics() { await new Methods().method(); }
  async #hidden() { await tick(); here('private'); }
  async callsHidden() { return await this.#hidden(); }
}

async function then() { await tick().then(() => here('then')).finally(() => {}); }
async function thenFinally() { await tick().finally(() => here('finally of a promise')); }
async function thenCatch() { await Promise.reject(new Error('expected')).catch(() => here('catch of a promise')); }
async function returned() { return inside('returned promise'); }
async function awaitsReturned() { await returned(); }
async function thenable() { await { then(resolve) { setTimeout(() => { here('timer of a thenable'); resolve(); }, 1); } }; }
async function below() { await tick(); [1].map(function mapped() { here('below the microtask'); }); }
async function ofSubclass() { class Own extends Promise {} await Own.all([inside('all of a subclass')]); }
const anonymous = (() => async () => { await inside('anonymous'); })();
async function twice() { const p = inside('two reactions'); p.then(() => {}); await p; }
async function deep(n) { if (n) await deep(n - 1); else { await tick(); here('deeper than is read'); } }
function compiled(object, then) { const other = { object }; then(); return other; }
async function optimised() {
  for (let i = 0; i < 20000; i++) await null;
  for (let i = 0; i < 20000; i++) compiled({ i }, () => {});
  compiled({ i: 1 }, () => here('below a compiled function'));
  await inside('of an optimised function');
}

async function inWorker() {
  const worker = new Worker(__filename);
  await new Promise((resolve) => worker.once('message', resolve));
}
async function ofModule() {
  globalThis.inside = inside;
  await import('data:text/javascript,await inside(%22module%22)');
}
async function withStorage() {
  await new AsyncLocalStorage().run({}, async () => { await one(); await all(); });
}

async function main() {
  for (const f of [one, all, allOfMany, allSettled, any, race, allInAll, loop, delegatingLoop, loopOfSync, tryFinally, catches,
    Methods.statics, () => new Methods().callsHidden(), then, thenFinally, thenCatch, awaitsReturned, thenable, below,
    ofSubclass, anonymous, twice, () => deep(30), optimised, inWorker, ofModule, withStorage]) {
    await f();
  }
  await new Promise((resolve) => setTimeout(() => { here('timer'); resolve(); }, 1));
  fs.writeSync(1, 'end\n');
}
async function worker() {
  await one();
  await all();
  // It does not end, so that its functions can be read.
  parentPort.on('message', () => {});
  parentPort.postMessage('done');
}

Error.stackTraceLimit = 100;
if (isMainThread) {
  process.stdin.once('data', () => main());
  fs.writeSync(1, 'ready\n');
} else {
  worker();
}
