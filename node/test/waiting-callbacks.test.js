'use strict';
const assert = require('node:assert');
const { AsyncLocalStorage } = require('node:async_hooks');
const fs = require('node:fs');
const os = require('node:os');
const path = require('node:path');
const { pathToFileURL } = require('node:url');
const test = require('node:test');
const { RequestContexts } = require('../lib/request-contexts.js');
const { watchModules } = require('../lib/waiting-callbacks.js');
const { Fired } = require('../fixtures/fired.js');

const skip = RequestContexts.areFree() ? false : 'this Node.js carries stores by async_hooks';
const contexts = new RequestContexts(new Fired());

// As the packages of these names do, a pool with one connection and a connection keep who waits in a list.
const PACKAGES = {
  'pg-pool/index.js': `module.exports = class Pool {
    waiting = [];
    newClient() { return this.look(); }
    connect(callback) { if (!callback) return 'promise'; this.waiting.push(callback); }
    query(text, values, callback) { this.connect((error, client) => client.query(text, values, callback)); }
    free(client) { return this.waiting.shift()(null, client); }
  };`,
  'pg/lib/client.js': `module.exports = class Client {
    _queryQueue = [];
    submitted = [];
    query(text, values, callback) {
      const submit = () => this.submitted.push(callback);
      if (this.busy) this._queryQueue.push({ submit }); else submit();
      this.busy = true;
    }
    answer() { this.submitted.shift()(null, 'rows'); this._queryQueue.shift()?.submit(); }
  };`,
  'mysql2/lib/base/pool.js': `module.exports = class BasePool {
    waiting = [];
    getConnection(callback) { this.waiting.push(callback); }
    free(connection) { this.waiting.shift().call(this, null, connection); }
  };`,
  'mysql2/lib/base/connection.js': `module.exports = class BaseConnection {
    commands = [];
    addCommand(command) { this.commands.push(command); return command; }
    next() { const command = this.commands.shift(); command.start(); command.onResult(null, 'rows'); }
  };`,
  'ioredis/built/Redis.js': `exports.default = class Redis {
    offlineQueue = [];
    written = [];
    sendCommand(command, stream) {
      if (this.ready) this.written.push(command.write()); else this.offlineQueue.push({ command, stream });
    }
    connected() { this.ready = true; for (const { command, stream } of this.offlineQueue.splice(0)) this.sendCommand(command, stream); }
  };`,
  'ioredis/built/Pipeline.js': `exports.default = class Pipeline {
    commands = [];
    sendCommand(command) { return this.commands.push(command); }
    exec(callback) { return callback(this.commands); }
  };`,
  'mysql/lib/Pool.js': 'module.exports = class Pool { acquire(callback) {} };',
  'mysql/lib/protocol/Protocol.js': "module.exports = new Proxy({}, { get() { throw new Error('no class'); } });",
};

const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'probestream-'));
const file = (name) => path.join(folder, 'node_modules', name);
for (const [name, source] of Object.entries(PACKAGES)) {
  fs.mkdirSync(path.dirname(file(name)), { recursive: true });
  fs.writeFileSync(file(name), source);
}
test.after(() => fs.rmSync(folder, { recursive: true }));

const earlier = require(file('mysql2/lib/base/pool.js')).prototype;
const { getConnection } = earlier;
if (!skip) watchModules(contexts);

/** Does this as the work of a new request, and gives the request's number. */
function request(work) {
  contexts.begin(null, 0);
  const number = contexts.current();
  work();
  return number;
}

test('a callback that waits for a pool is called with the number of who asked', { skip }, () => {
  const Pool = require(file('pg-pool/index.js'));
  const Client = require(file('pg/lib/client.js'));
  const pool = new Pool();
  const client = new Client();
  const seen = [];
  const look = (error, result) => seen.push([contexts.current(), result]);
  const first = request(() => pool.connect(look));
  const second = request(() => pool.query('SELECT 1', [], look));
  const releasing = request(() => {
    pool.free(client);
    pool.free(client);
    client.answer();
  });
  assert.deepStrictEqual(seen, [[first, client], [second, 'rows']]);
  assert.strictEqual(contexts.current(), releasing);
  assert.strictEqual(pool.connect(), 'promise');
});

test('a query that waits for its connection is submitted, and answered, with the number of who asked', { skip }, () => {
  const client = new (require(file('pg/lib/client.js')))();
  const seen = [];
  const submitted = [];
  client.submitted.push = function (...callbacks) {
    submitted.push(contexts.current());
    return Array.prototype.push.apply(this, callbacks);
  };
  const asking = [0, 1].map(() => request(() => client.query('SELECT 1', () => {}, () => seen.push(contexts.current()))));
  request(() => {
    client.answer();
    client.answer();
  });
  assert.deepStrictEqual(submitted, asking);
  assert.deepStrictEqual(seen, asking);
});

test('a command that waits for its connection is sent, and answered, with the number of who asked', { skip }, () => {
  const connection = new (require(file('mysql2/lib/base/connection.js')))();
  const seen = [];
  const look = () => seen.push(contexts.current());
  const asking = request(() => connection.addCommand({ start: look, onResult: look }));
  request(() => connection.next());
  assert.deepStrictEqual(seen, [asking, asking]);
});

test('a command that waits for a connection to be made is sent with the number of who asked', { skip }, () => {
  const redis = new (require(file('ioredis/built/Redis.js')).default)();
  const command = { write: () => contexts.current() };
  const asking = [0, 1].map(() => request(() => redis.sendCommand({ ...command })));
  const connecting = request(() => redis.connected());
  redis.sendCommand(command);
  assert.deepStrictEqual(redis.written, [...asking, connecting]);
});

test('a connection has a number of its own, which leads to the request that made it', { skip }, () => {
  const pool = new (require(file('pg-pool/index.js')))();
  pool.look = () => contexts.current();
  let seen;
  const asking = request(() => {
    seen = pool.newClient();
  });
  assert.strictEqual(seen, asking + (1 << 23));
  assert.strictEqual(contexts.current(), asking);
});

test('no other store is changed', { skip }, () => {
  const application = new AsyncLocalStorage();
  const pool = new (require(file('pg-pool/index.js')))();
  const asking = request(() => application.run('asking', () => pool.connect(() => {
    assert.strictEqual(contexts.current(), asking);
    assert.strictEqual(application.getStore(), 'releasing');
    application.enterWith('entered');
    return 'returned';
  })));
  request(() => application.run('releasing', () => {
    assert.strictEqual(pool.free(), 'returned');
    assert.strictEqual(application.getStore(), 'entered');
  }));
});

test('what a callback throws arrives, and the number is that of before', { skip }, () => {
  const pool = new (require(file('pg-pool/index.js')))();
  request(() => pool.connect(() => {
    throw new Error('of the application');
  }));
  const releasing = request(() => assert.throws(() => pool.free(), /of the application/));
  assert.strictEqual(contexts.current(), releasing);
});

test('what was loaded before is changed, too', { skip }, () => {
  assert.notStrictEqual(earlier.getConnection, getConnection);
  const pool = new (require(file('mysql2/lib/base/pool.js')))();
  let seen;
  const asking = request(() => pool.getConnection(function () {
    seen = [contexts.current(), this];
  }));
  request(() => pool.free());
  assert.deepStrictEqual(seen, [asking, pool]);
});

test('what is imported is changed, too', { skip }, async () => {
  const copy = path.join(folder, 'copy', 'node_modules', 'pg-pool', 'index.js');
  fs.mkdirSync(path.dirname(copy), { recursive: true });
  fs.writeFileSync(copy, PACKAGES['pg-pool/index.js']);
  const { default: Pool } = await import(pathToFileURL(copy));
  const pool = new Pool();
  let seen;
  const asking = request(() => pool.connect(() => {
    seen = contexts.current();
  }));
  request(() => pool.free());
  assert.strictEqual(seen, asking);
});

test('a version that is not as known is left alone', { skip }, () => {
  const { acquire, getConnection: missing } = require(file('mysql/lib/Pool.js')).prototype;
  assert.strictEqual(acquire.toString(), 'acquire(callback) {}');
  assert.strictEqual(missing, undefined);
  assert.throws(() => require(file('mysql/lib/protocol/Protocol.js')).prototype, /no class/);
});

test('a pipeline with commands of several requests is sent with a number that is of no request', { skip }, () => {
  const { default: Pipeline } = require(file('ioredis/built/Pipeline.js'));
  const send = (pipeline) => pipeline.exec((commands) => [contexts.current(), commands]);
  const own = new Pipeline();
  const shared = new Pipeline();
  const asking = request(() => {
    own.sendCommand('a');
    own.sendCommand('b');
    shared.sendCommand('c');
    assert.deepStrictEqual(send(own), [contexts.current(), ['a', 'b']]);
  });
  request(() => shared.sendCommand('d'));
  const sending = request(() => assert.deepStrictEqual(send(shared), [1 << 23, ['c', 'd']]));
  assert.notStrictEqual(asking, sending);
  assert.strictEqual(contexts.current(), sending);
});

test('a pipeline with commands of one request is sent with its number, whoever sends it', { skip }, () => {
  const { default: Pipeline } = require(file('ioredis/built/Pipeline.js'));
  const pipeline = new Pipeline();
  const asking = request(() => pipeline.sendCommand('a'));
  request(() => assert.deepStrictEqual(pipeline.exec((commands) => [contexts.current(), commands]), [asking, ['a']]));
});

test('while a tracer is attached, what the holder of a connection sends is marked as the holder\'s', { skip }, () => {
  const watched = new Fired();
  const watching = new RequestContexts(watched);
  const seen = [];
  const send = watching.sending(() => {
    seen.push(watching.store());
    return watching.bind(() => seen.push(watching.store()));
  });
  watching.begin(null, 0);
  const number = watching.current();
  send();
  watched.watch('request__context');
  const callback = send();
  callback();

  const store = 0x5b000000 + number;
  assert.deepStrictEqual(seen, [store, store + (1 << 22), store]);
  assert.strictEqual(watching.current(), number);
});
