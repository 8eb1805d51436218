'use strict';
// Gives every request that a server of this thread gets a number, and runs all that it leads to in a context that holds the
// number: where V8 itself carries the stores of AsyncLocalStorage from a promise, a timer or a callback to the next (Node 24,
// and 22 with --experimental-async-context-frame), a tracer reads it out of memory at any hit. Elsewhere stores are carried by
// async_hooks, whose price for every promise we do not ask anybody to pay: nothing is done there.
const { AsyncLocalStorage } = require('node:async_hooks');

// In the order of enum node_probe in src/node_probes.h.
const REQUEST_CONTEXT = 8;

// The store is a small integer of V8 whose highest byte no other is likely to have; AsyncContextLayout.STORE_MARK of the collector.
const MARK = 0x5b000000;

// Added to the number while a pool makes a connection for a request: all that the connection calls has it from then on, for
// whomever it is. PackageNumbers of the converters.
const CONNECTION = 1 << 23;

// Added to the number while a client sends a statement whose pool has its waiting callbacks bound: the number is that of who holds the
// connection. Without it, the number may be that of who has just returned the connection, in whose code the next in the queue of a
// pool goes on. PackageNumbers of the converters.
const HOLDER = 1 << 22;

// How many numbers binding.takeNumbers() gives at once: REQUEST_NUMBERS in src/node_probes.h.
const NUMBERS = 4096;

class RequestContexts {
  #storage = new AsyncLocalStorage();
  #semaphores;
  #binding;
  #next = 0;
  #end = 0;

  constructor(binding) {
    this.#semaphores = new Uint16Array(binding.semaphores);
    this.#binding = binding;
  }

  /** Whether stores are carried without async_hooks. */
  static areFree() {
    return !('_propagate' in AsyncLocalStorage.prototype);
  }

  /** What runs in this callback from now on, and what it leads to, is the work of a new request. */
  begin(socket, streamId) {
    if (this.#next === this.#end) {
      this.#next = this.#binding.takeNumbers();
      this.#end = this.#next + NUMBERS;
    }
    const number = this.#next++;
    this.#storage.enterWith(MARK | number);
    if (this.#semaphores[REQUEST_CONTEXT] !== 0) {
      this.#binding.fireContext(number, socket?._handle?.fd ?? -1, streamId);
    }
  }

  /** The callback, for a library to call it in the context of another: with the number of now, and no other store changed. */
  bind(callback) {
    if (typeof callback !== 'function') return callback;
    const contexts = this;
    const store = this.#ofRequest();
    return function (...args) {
      return contexts.#run(store, callback, this, args);
    };
  }

  /** The method, to be called with the number of what a connection calls that is made for the request. */
  connecting(method) {
    const contexts = this;
    return function (...args) {
      const store = contexts.#ofRequest();
      return contexts.#run(store === undefined ? store : store | CONNECTION, method, this, args);
    };
  }

  /** The method by which the holder of a connection sends; it is marked as such only while a tracer is attached. */
  sending(method) {
    const contexts = this;
    return function (...args) {
      if (contexts.#semaphores[REQUEST_CONTEXT] === 0) return method.apply(this, args);
      const store = contexts.#storage.getStore();
      return contexts.#run(store === undefined ? store : store | HOLDER, method, this, args);
    };
  }

  /** Calls the method with that number of a request; 0 or less = with a number that is no request's. */
  as(number, method, self, args) {
    return this.#run(MARK | (number > 0 ? number : CONNECTION), method, self, args);
  }

  #ofRequest() {
    const store = this.#storage.getStore();
    return store === undefined ? store : store & ~HOLDER;
  }

  #run(store, callback, self, args) {
    const storage = this.#storage;
    const other = storage.getStore();
    if (other === store) return callback.apply(self, args);
    storage.enterWith(store);
    try {
      return callback.apply(self, args);
    } finally {
      storage.enterWith(other);
    }
  }

  /** What a tracer reads out of memory now. */
  store() {
    return this.#storage.getStore();
  }

  /** The number of the running request; 0 = there is none. */
  current() {
    return (this.#ofRequest() ?? MARK) ^ MARK;
  }
}

module.exports = { RequestContexts };
