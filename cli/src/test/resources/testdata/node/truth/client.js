'use strict';
// Asks all kinds of things of app.js, then answers with a line. What it reads:
//   exchanges PORTS   every kind of request, PORTS as app.js gives them
//   stories PORTS     four requests at a time, each of which reads three files and asks this process's own server
const fs = require('fs');
const path = require('path');
const net = require('net');
const http = require('http');
const https = require('https');

const HOST = '127.0.0.1';

function received(stream) {
  return new Promise((done, failed) => stream.on('data', () => {}).on('end', done).on('error', failed));
}

// One request by Node's own client; the pieces of the body are chunks of their own if there are several.
function ask(lib, options, pieces = []) {
  return new Promise((done, failed) => {
    const request = lib.request({ host: HOST, rejectUnauthorized: false, ...options }, (response) => {
      received(response).then(done, failed);
    });
    request.on('error', failed);
    if (pieces.length === 1) request.setHeader('Content-Length', Buffer.byteLength(pieces[0]));
    for (const piece of pieces) request.write(piece);
    request.end();
  });
}

// A connection of our own, given to use(socket); waits until it is closed.
async function raw(port, use) {
  const socket = net.connect(port, HOST).setNoDelay();
  await new Promise((done, failed) => socket.once('connect', done).once('error', failed));
  const closed = new Promise((done) => socket.on('data', () => {}).on('close', done));
  await use(socket);
  await closed;
}

// Asks the application whether something has happened, and waits until it has.
async function until(ports, question) {
  await raw(ports.control, async (socket) => {
    const answer = new Promise((done) => socket.once('data', done));
    socket.write(question);
    await answer;
    socket.destroy();
  });
}

const text = (line, more = '') => `${line} HTTP/1.1\r\nHost: localhost\r\n${more}\r\n`;

// Each in a TCP segment of its own: the application has read one before the next is sent.
async function inPieces(ports, socket, pieces) {
  let sent = 0;
  for (const piece of pieces) {
    if (sent > 0) await until(ports, `read ${socket.localPort} ${sent}\n`);
    socket.write(piece);
    sent += piece.length;
  }
}

async function plainExchanges(ports) {
  const port = ports.http;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  await ask(http, { port, agent, path: '/plain?n=1&secret=2' });
  await ask(http, { port, agent, path: '/slow?n=2' });
  await ask(http, { port, agent, path: '/plain?n=3', method: 'HEAD' });
  await ask(http, { port, agent, path: '/missing?n=4' });
  await ask(http, { port, agent, path: '/broken?n=5' });
  await ask(http, { port, agent, path: '/chunked?n=6' });
  await ask(http, { port, agent, path: '/echo?n=7', method: 'POST' }, ['a body']);
  await ask(http, { port, agent, path: '/echo?n=8', method: 'PUT' }, ['a body ', 'in ', 'chunks']);
  agent.destroy();
  await ask(http, { port, agent: false, path: '/big?n=9' });
  await ask(http, { port, agent: false, path: '/plain?n=10', method: 'DELETE' });
  const several = ['/slow?n=11', '/plain?n=12', '/slow?n=13', '/echo?n=14'];
  await Promise.all(several.map((path) => ask(http, { port, agent: false, path })));
}

async function rawExchanges(ports) {
  const last = 'Connection: close\r\n';
  await raw(ports.http, (socket) => {
    const lines = [text('GET /slow?n=20'), text('GET /missing?n=21'), text('POST /broken?n=22', 'Content-Length: 0\r\n')];
    socket.write(lines.join('') + text('GET /plain?n=23', last));
  });
  await raw(ports.http, (socket) => inPieces(ports, socket, ['GET /plain?n=2', '4&piec', text('es=3', last)]));
  await raw(ports.http, async (socket) => {
    const head = text('POST /echo?n=25', `Content-Length: 12\r\n${last}`);
    await inPieces(ports, socket, [head, 'half a ', 'body!']);
  });
  await raw(ports.http, async (socket) => {
    socket.write(text('GET /never?n=26'));
    await until(ports, 'logged GET /never?n=26\n');
    socket.destroy();
  });
  await raw(ports.http, async (socket) => {
    socket.write(text('POST /echo?n=27', 'Content-Length: 1000\r\n') + 'half a body');
    await until(ports, 'logged POST /echo?n=27\n');
    socket.resetAndDestroy();
  });
  await raw(ports.http, (socket) => socket.write(text('GET /socket?n=28', 'Connection: Upgrade\r\nUpgrade: echo\r\n')));
}

async function expressExchanges(ports) {
  const port = ports.express;
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  await ask(http, { port, agent, path: '/express/items/30?n=30' });
  const headers = { 'Content-Type': 'application/json' };
  await ask(http, { port, agent, headers, path: '/express/items?n=31', method: 'POST' }, ['{"item":31}']);
  await ask(http, { port, agent, path: '/express/file?n=32' });
  await ask(http, { port, agent, path: '/express/broken?n=33' });
  await ask(http, { port, agent, path: '/express/missing?n=34' });
  agent.destroy();
}

async function tlsExchanges(ports) {
  const port = ports.https;
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  await ask(https, { port, agent, path: '/plain?n=40&secret=2' });
  await ask(https, { port, agent, path: '/echo?n=41', method: 'POST' }, ['a body']);
  await ask(https, { port, agent, path: '/chunked?n=42' });
  await ask(https, { port, agent, path: '/missing?n=43' });
  agent.destroy();
  await ask(https, { port, agent: false, path: '/big?n=44' });
}

async function exchanges(ports) {
  await plainExchanges(ports);
  await rawExchanges(ports);
  await expressExchanges(ports);
  await tlsExchanges(ports);
}

// Until the objects of the application are known, some of what it does is of no request.
const ROUNDS_BEFORE = 30;

async function stories(ports) {
  const backend = http.createServer((request, response) => setTimeout(() => response.end(request.url), 10));
  await new Promise((done) => backend.listen(0, HOST, done));
  const askAll = (to) =>
    Promise.all(
      ['1', '2', '3', '4'].map((n) => {
        for (const file of ['a', 'b', 'c']) fs.writeFileSync(path.join(__dirname, `story-${n}-${file}.txt`), file);
        return ask(http, { port: ports.http, agent: false, path: `${to}?n=${n}&backend=${backend.address().port}` });
      }),
    );
  for (let i = 0; i < ROUNDS_BEFORE; i++) await askAll('/again');
  await askAll('/story');
  backend.close();
}

const commands = { exchanges, stories };

require('readline')
  .createInterface({ input: process.stdin })
  .on('line', async (line) => {
    const [word, ports] = line.split(' ');
    await commands[word](JSON.parse(ports));
    console.log('done');
  })
  .on('close', () => process.exit(0));
console.log('ready');
