'use strict';
const assert = require('node:assert');
const fs = require('node:fs');
const http2 = require('node:http2');
const { once } = require('node:events');
const { setTimeout: sleep } = require('node:timers/promises');
const test = require('node:test');
const { NodeProbes } = require('../lib/node-probes.js');
const { RequestContexts } = require('../lib/request-contexts.js');
const { Fired, listening, ask } = require('../fixtures/fired.js');
const { PACKAGE, run } = require('../fixtures/run.js');

const FREE = RequestContexts.areFree();
const skip = FREE ? false : 'this Node.js carries stores by async_hooks';
const fired = new Fired();
const contexts = new RequestContexts(fired);
if (FREE) new NodeProbes(fired, contexts).watch();

const major = Number(process.versions.node.split('.')[0]);

test('stores are carried by V8 on Node 24 and later, on 22 with its flag', () => {
  assert.strictEqual(FREE, major >= 24);
  if (major === 22) {
    const script = `require(${JSON.stringify(`${PACKAGE}/lib/request-contexts.js`)}).RequestContexts.areFree()`;
    assert.strictEqual(run('--experimental-async-context-frame', '-p', script), 'true');
  }
});

test('a request has its number, which counts from 1, on its connection', { skip }, async () => {
  fired.watch('request__context', 'http__server__request');
  const server = await listening((request, response) => response.end(String(contexts.current())));
  await ask(server, { path: '/a' });
  await ask(server, { path: '/b' });
  server.close();

  const [first, second] = fired.of('request__context');
  assert.strictEqual(first.number, 1);
  assert.strictEqual(second.number, 2);
  assert.strictEqual(first.stream, 0);
  const requests = fired.of('http__server__request');
  assert.deepStrictEqual(requests.map((event) => event.fd), [first.fd, second.fd]);
});

test('what requests do at the same time has the number of each', { skip }, async () => {
  fired.watch();
  const seen = new Map();
  const server = await listening(async (request, response) => {
    const number = contexts.current();
    const look = () => seen.set(request.url, (seen.get(request.url) ?? new Set()).add(contexts.current()));
    look();
    for (let i = 0; i < 5; i++) {
      await sleep(1);
      look();
      await Promise.all([new Promise((resolve) => setImmediate(() => resolve(look()))), fs.promises.stat('/')]);
      look();
    }
    response.end(String(number));
  });
  await Promise.all(['/a', '/b', '/c'].map((path) => ask(server, { path })));
  server.close();

  const numbers = [...seen.values()].map((set) => [...set]);
  assert.deepStrictEqual(numbers.map((each) => each.length), [1, 1, 1]);
  assert.strictEqual(new Set(numbers.flat()).size, 3);
  assert.strictEqual(contexts.current(), 0);
});

test('a stream of HTTP/2 is a request, with what is pushed for it', { skip }, async () => {
  fired.watch('request__context');
  const server = http2.createServer();
  const inside = [];
  const pushed = [];
  server.on('stream', (stream) => {
    inside.push(contexts.current());
    stream.pushStream({ ':path': '/pushed' }, (error, push) => {
      pushed.push(contexts.current());
      push.end('pushed');
      stream.end('done');
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const client = http2.connect(`http://127.0.0.1:${server.address().port}`);
  client.on('stream', (push) => push.resume());
  for (const path of ['/a', '/b']) {
    const stream = client.request({ ':path': path });
    stream.resume();
    await once(stream, 'end');
  }
  client.close();
  server.close();

  const all = fired.of('request__context');
  assert.deepStrictEqual(all.map((event) => event.number), inside);
  assert.deepStrictEqual(pushed, inside);
  assert.deepStrictEqual(all.map((event) => event.stream), [1, 3]);
  assert.ok(all[0].fd > 2, `fd ${all[0].fd}`);
});

test('threads have numbers of their own', { skip }, () => {
  const worker = `
    const binding = require(${JSON.stringify(`${PACKAGE}/lib/binding.js`)});
    require('worker_threads').parentPort.postMessage(binding.takeNumbers());`;
  const script = `
    const { Worker } = require('worker_threads');
    const binding = require(${JSON.stringify(`${PACKAGE}/lib/binding.js`)});
    const first = binding.takeNumbers();
    new Worker(${JSON.stringify(worker)}, { eval: true }).on('message', (second) => console.log(first, second));`;
  assert.strictEqual(run('-e', script), '1 4097');
});
