'use strict';
const assert = require('node:assert');
const { once } = require('node:events');
const http = require('node:http');
const net = require('node:net');
const os = require('node:os');
const path = require('node:path');
const test = require('node:test');
const { NodeProbes } = require('../lib/node-probes.js');
const { NAMES, Fired, listening, ask } = require('../fixtures/fired.js');

const fired = new Fired();
new NodeProbes(fired).watch();

const helloWorld = () => listening((request, response) => response.end('hello world'));

test('nothing fires while nobody watches', async () => {
  fired.watch();
  const server = await helloWorld();
  await ask(server, { path: '/' });
  server.close();

  assert.deepStrictEqual(fired.all, []);
});

test('a request to a server has its remote end, method and URL', async () => {
  fired.watch('http__server__request');
  const server = await helloWorld();
  await ask(server, { path: '/index.html?a=1', method: 'PUT' });
  server.close();

  assert.strictEqual(fired.all.length, 1);
  const [{ remote, port, fd, method, url }] = fired.all;
  assert.deepStrictEqual([remote, method, url], ['127.0.0.1', 'PUT', '/index.html?a=1']);
  assert.ok(port > 0, `port ${port}`);
  assert.ok(fd > 2, `fd ${fd}`);
});

test('a request has its beginning and its end on the same connection', async () => {
  fired.watch(...NAMES.slice(0, 4));
  const server = await helloWorld();
  await ask(server, { path: '/', headers: { connection: 'close' } });
  server.close();
  await once(server, 'close');

  // The client's socket ends, too: its remote end is the server.
  const [{ port, fd }] = fired.of('net__server__connection');
  const ofServer = fired.all.filter((event) => event.port === port);
  assert.deepStrictEqual(
    ofServer.map((event) => [event.name, event.fd]),
    [
      ['net__server__connection', fd],
      ['http__server__request', fd],
      ['http__server__response', fd],
      ['net__stream__end', fd],
    ],
  );
});

test('a kept connection is one connection with many requests', async () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  fired.watch('net__server__connection', 'http__server__request', 'http__server__response');
  const server = await helloWorld();
  for (const url of ['/1', '/2', '/3']) {
    await ask(server, { path: url, agent });
  }
  agent.destroy();
  server.close();

  assert.strictEqual(fired.of('net__server__connection').length, 1);
  assert.deepStrictEqual(
    fired.of('http__server__request').map(({ url }) => url),
    ['/1', '/2', '/3'],
  );
  assert.strictEqual(fired.of('http__server__response').length, 3);
});

test('a request of a client knows its remote end although it was made before there was a connection', async () => {
  fired.watch('http__client__request', 'http__client__response');
  const server = await helloWorld();
  const { port } = server.address();
  await ask(server, { path: '/of-client' });
  server.close();

  assert.deepStrictEqual(
    fired.all.map(({ name, remote, port: to, method, url }) => [name, remote, to, method, url]),
    [
      ['http__client__request', '127.0.0.1', port, 'GET', '/of-client'],
      ['http__client__response', '127.0.0.1', port, undefined, undefined],
    ],
  );
  assert.ok(fired.all[0].fd > 2);
});

test('a request that finds no server does not fire', async () => {
  fired.watch(...NAMES);
  const server = await helloWorld();
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  const [error] = await once(http.get({ port, host: '127.0.0.1', agent: false }), 'error');

  assert.strictEqual(error.code, 'ECONNREFUSED');
  assert.deepStrictEqual(fired.of('http__client__request'), []);
});

test('a request that its client gives up has no response', async () => {
  fired.watch('http__server__request', 'http__server__response');
  const server = await listening(() => client.destroy());
  const client = http.get({ port: server.address().port, host: '127.0.0.1', agent: false });
  const [error] = await once(client, 'error');
  assert.strictEqual(error.code, 'ECONNRESET');
  server.close();
  await once(server, 'close');

  assert.deepStrictEqual(
    fired.all.map(({ name }) => name),
    ['http__server__request'],
  );
});

test('a socket of a path has no remote address', async () => {
  fired.watch('http__server__request');
  const socketPath = path.join(os.tmpdir(), `probestream-${process.pid}.sock`);
  const server = http.createServer((request, response) => response.end()).listen(socketPath);
  await once(server, 'listening');
  const [response] = await once(http.get({ socketPath, path: '/local', agent: false }), 'response');
  response.resume();
  server.close();

  assert.deepStrictEqual(
    fired.all.map(({ remote, port, url }) => [remote, port, url]),
    [[undefined, undefined, '/local']],
  );
});

test('a socket that is ended twice ends once', async () => {
  fired.watch('net__stream__end');
  const server = net.createServer((socket) => socket.resume()).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  const socket = net.connect(port, '127.0.0.1');
  await once(socket, 'connect');
  let finished = 0;
  socket.end('last words', 'utf8', () => finished++);
  socket.end();
  socket.resume();
  await once(socket, 'close');
  server.close();

  assert.strictEqual(fired.of('net__stream__end').filter((event) => event.port === port).length, 1);
  assert.strictEqual(finished, 1);
});
