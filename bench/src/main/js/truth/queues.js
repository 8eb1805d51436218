'use strict';
// Clients (clients.js) that let requests wait for each other: limits, queues, mutexes, pools. Most go on with the next request inside of
// what the one before calls when it is done.
const fs = require('fs');

const AT_ONCE = 4;
const read = path => fs.promises.readFile(path).catch(() => {});
const readThen = (path, done) => fs.readFile(path, () => done());

/** Reads two files while it has its turn, and one behind it. */
const inTurn = take => ({
  async open() {
    const turn = await take();
    return async order => {
      await turn(async () => {
        await read(order.file());
        await read(order.file());
      });
      await read(order.file());
    };
  },
});

exports['p-limit'] = inTurn(() => require('p-limit')(AT_ONCE));

const later = work => new Promise(done => setTimeout(() => work(done), 1));

/** What has its turn goes on in callbacks that were made there. */
exports['p-limit-timer'] = {
  async open() {
    const limit = require('p-limit')(AT_ONCE);
    return async order => {
      await limit(() => later(done => readThen(order.file(), () => readThen(order.file(), done))));
      await read(order.file());
    };
  },
};

exports['fastq-timer'] = {
  async open() {
    const queue = require('fastq')((task, done) => task(done), AT_ONCE);
    return (order, done) => {
      queue.push(next => setTimeout(() => readThen(order.file(), () => readThen(order.file(), next)), 1), () => readThen(order.file(), done));
    };
  },
};

exports['p-queue'] = inTurn(() => {
  const { default: Queue } = require('p-queue');
  const queue = new Queue({ concurrency: AT_ONCE });
  return task => queue.add(task);
});

exports['async-mutex'] = inTurn(() => {
  const { Semaphore } = require('async-mutex');
  const semaphore = new Semaphore(AT_ONCE);
  return task => semaphore.runExclusive(task);
});

exports.bottleneck = inTurn(() => {
  const Bottleneck = require('bottleneck');
  const limiter = new Bottleneck({ maxConcurrent: AT_ONCE });
  return task => limiter.schedule(task);
});

exports['fastq-promise'] = inTurn(() => {
  const queue = require('fastq').promise(task => task(), AT_ONCE);
  return task => queue.push(task);
});

exports['async-lock'] = inTurn(() => {
  const lock = new (require('async-lock'))();
  return task => lock.acquire('key', task);
});

exports['generic-pool'] = inTurn(() => {
  const pool = require('generic-pool').createPool({ create: async () => ({}), destroy: async () => {} }, { max: AT_ONCE });
  return task => pool.use(task);
});

exports.dataloader = {
  async open() {
    const Loader = require('dataloader');
    const loader = new Loader(async keys => keys, { cache: false });
    return async order => {
      await loader.load(order);
      await read(order.file());
      await loader.load(order);
      await read(order.file());
    };
  },
};

exports['async-queue'] = {
  async open() {
    const queue = require('async').queue((task, done) => task(done), AT_ONCE);
    return (order, done) => {
      queue.push(next => readThen(order.file(), next), () => readThen(order.file(), done));
    };
  },
};

exports['fastq-callback'] = {
  async open() {
    const queue = require('fastq')((task, done) => task(done), AT_ONCE);
    return (order, done) => {
      queue.push(next => readThen(order.file(), next), () => readThen(order.file(), done));
    };
  },
};

exports['async-lock-callback'] = {
  async open() {
    const lock = new (require('async-lock'))();
    return (order, done) => {
      lock.acquire('key', next => readThen(order.file(), next), () => readThen(order.file(), done));
    };
  },
};

/** A pool that calls who waits for it inside of release(). */
class Pool {
  #free = AT_ONCE;
  #waiting = [];

  acquire(use) {
    if (this.#free > 0) {
      this.#free--;
      use();
    } else {
      this.#waiting.push(use);
    }
  }

  release() {
    const next = this.#waiting.shift();
    if (next) {
      next();
    } else {
      this.#free++;
    }
  }
}

exports['calling-pool'] = {
  async open() {
    const pool = new Pool();
    return order =>
      new Promise(done => {
        pool.acquire(async () => {
          await read(order.file());
          await read(order.file());
          pool.release();
          await read(order.file());
          done();
        });
      });
  },
};

exports['calling-pool-callback'] = {
  async open() {
    const pool = new Pool();
    return (order, done) => {
      pool.acquire(() => {
        readThen(order.file(), () => {
          readThen(order.file(), () => {
            pool.release();
            readThen(order.file(), done);
          });
        });
      });
    };
  },
};

const SLOW_MS = 60;
const slowly = work => setTimeout(work, SLOW_MS);

/** Requests that last for long: what they have made survives collections, and is called in many turns of the loop. */
exports['slow-pool'] = {
  async open() {
    const pool = new Pool();
    return order =>
      new Promise(done => {
        pool.acquire(async () => {
          await new Promise(slowly);
          await read(order.file());
          await new Promise(slowly);
          await read(order.file());
          pool.release();
          await read(order.file());
          done();
        });
      });
  },
};

exports['slow-pool-callback'] = {
  async open() {
    const pool = new Pool();
    return (order, done) => {
      pool.acquire(() =>
        slowly(() =>
          readThen(order.file(), () =>
            slowly(() =>
              readThen(order.file(), () => {
                pool.release();
                readThen(order.file(), done);
              }),
            ),
          ),
        ),
      );
    };
  },
};

/** One loop for all requests, which the first one starts. */
exports['drained-list'] = {
  async open() {
    const list = [];
    let isDraining = false;
    const drain = async () => {
      if (isDraining) return;
      isDraining = true;
      for (let next = list.shift(); next; next = list.shift()) {
        await next.task();
        next.done();
      }
      isDraining = false;
    };
    return async order => {
      await new Promise(done => {
        list.push({ task: () => read(order.file()), done });
        drain();
      });
      await read(order.file());
    };
  },
};
