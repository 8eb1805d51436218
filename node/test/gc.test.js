'use strict';
const assert = require('node:assert');
const test = require('node:test');
const v8 = require('node:v8');
const vm = require('node:vm');
const binding = require('../lib/binding.js');
const { GcObserver } = require('../lib/gc-observer.js');
const { Fired } = require('../fixtures/fired.js');

const MARK_SWEEP_COMPACT = 4;

v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');

test('the collector of this Node.js can be hooked', () => {
  assert.strictEqual(binding.hookGc(), true);
  collect(); // as it would crash, if it did
});

test('where it cannot, both probes fire when perf_hooks reports a collection', async () => {
  const fired = new Fired();
  const bothFired = new Promise((resolve) => {
    const observer = new GcObserver((...event) => {
      fired.fireGc(...event);
      if (fired.all.length === 2) {
        observer.stop();
        resolve();
      }
    });
    observer.start();
  });
  collect();
  const alive = setInterval(() => {}, 1000); // an observer alone lets the loop end
  await bothFired;
  clearInterval(alive);

  assert.deepStrictEqual(
    fired.all.map(({ name, type }) => [name, type]),
    [
      ['gc__start', MARK_SWEEP_COMPACT],
      ['gc__done', MARK_SWEEP_COMPACT],
    ],
  );
});
