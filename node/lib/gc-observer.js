'use strict';
// gc__start and gc__done on a runtime whose collector cannot be hooked (src/gc_probes.c): perf_hooks reports a collection
// when it is over, so both fire then, one after the other, without an isolate. How long it took cannot be seen from them.
const { PerformanceObserver } = require('node:perf_hooks');

const GC_START = 6;
const GC_DONE = 7;

class GcObserver {
  #fireGc;
  #observer = new PerformanceObserver((list) => {
    for (const entry of list.getEntries()) this.fire(entry);
  });

  /** @param fireGc called with probe, type and flags */
  constructor(fireGc) {
    this.#fireGc = fireGc;
  }

  start() {
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  stop() {
    this.#observer.disconnect();
  }

  fire({ detail: { kind, flags } }) {
    this.#fireGc(GC_START, kind, flags);
    this.#fireGc(GC_DONE, kind, flags);
  }
}

module.exports = { GcObserver, GC_START, GC_DONE };
