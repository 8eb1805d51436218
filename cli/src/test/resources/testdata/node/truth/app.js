'use strict';
// An application with three servers (plain http, Express, https) that keeps a log of its own: what client.js, another
// process, asked of it, and what came of that. Answers each line of its standard input with one line of JSON:
//   ports   {http, express, https, control}
//   log     the log: see entry()
// Express is the one that .ci/run installs below PROBESTREAM_NODES.
const fs = require('fs');
const path = require('path');
const dns = require('dns');
const net = require('net');
const http = require('http');
const https = require('https');
const express = require(path.join(process.env.PROBESTREAM_NODES, 'express/node_modules/express'));

const log = [];
const firstBytesNs = new Map(); // by port of the client: when the first bytes of a request in pieces were known to be there

// CLOCK_MONOTONIC; a text, as it may be too large for a number of JSON.
const nowNs = () => String(process.hrtime.bigint());

// startNs: when the application got the request; endNs: when the last of the answer was handed over (COMPLETE,
// UPGRADED), or when the connection was found closed (ABORTED).
function entry(request) {
  const { remotePort, localPort, encrypted } = request.socket;
  const startNs = firstBytesNs.get(remotePort) || nowNs();
  firstBytesNs.delete(remotePort);
  const { method, originalUrl, url } = request;
  const noted = { method, url: originalUrl || url, status: 0, outcome: 'OPEN', startNs, endNs: '0', remotePort, localPort };
  noted.isTls = encrypted === true;
  log.push(noted);
  return noted;
}

function note(request, response) {
  const noted = entry(request);
  response
    .on('finish', () => Object.assign(noted, { status: response.statusCode, outcome: 'COMPLETE', endNs: nowNs() }))
    .on('close', () => noted.outcome === 'OPEN' && Object.assign(noted, { outcome: 'ABORTED', endNs: nowNs() }));
}

async function bodyOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces);
}

// Three files of its own, a name, another server.
async function story(url, response) {
  for (const file of ['a', 'b', 'c']) {
    await fs.promises.readFile(path.join(__dirname, `story-${url.searchParams.get('n')}-${file}.txt`));
  }
  const { address } = await dns.promises.lookup('localhost', 4);
  const backend = { host: address, port: url.searchParams.get('backend'), agent: false };
  const answer = await new Promise((done, failed) => {
    http.get({ ...backend, path: `/backend?n=${url.searchParams.get('n')}` }, done).on('error', failed);
  });
  response.end(await bodyOf(answer));
}

const routes = {
  '/plain': (url, response) => response.end('plain'),
  '/slow': (url, response) => setTimeout(() => response.end('slow'), 30),
  '/chunked': (url, response) => {
    response.write('one');
    setTimeout(() => response.write('two'), 5);
    setTimeout(() => response.end('three'), 10);
  },
  '/big': (url, response) => response.end(Buffer.alloc(2_000_000, 'big')),
  '/echo': async (url, response, request) => response.end(await bodyOf(request)),
  '/broken': (url, response) => {
    response.statusCode = 500;
    response.end('broken');
  },
  '/never': () => {},
  '/story': story,
  '/again': story,
};

function serve(request, response) {
  note(request, response);
  const url = new URL(request.url, 'http://localhost');
  const route = routes[url.pathname];
  if (route) return Promise.resolve(route(url, response, request)).catch((error) => response.destroy(error));
  response.statusCode = 404;
  response.end('missing');
}

// Answers as a WebSocket server does, and says goodbye at once.
function upgrade(request, socket) {
  const noted = entry(request);
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n', () => {
    Object.assign(noted, { status: 101, outcome: 'UPGRADED', endNs: nowNs() });
    socket.end();
  });
}

function expressApplication() {
  const app = express();
  app.use((request, response, next) => {
    note(request, response);
    next();
  });
  app.get('/express/items/:item', (request, response) => response.json({ item: request.params.item }));
  app.post('/express/items', express.json(), (request, response) => response.status(201).json(request.body));
  app.get('/express/file', (request, response) => response.sendFile(__filename));
  app.get('/express/broken', () => {
    throw new Error('broken');
  });
  app.use((error, request, response, next) => response.status(500).send('broken'));
  return app;
}

// What the client must know to go on, asked for in a protocol that is not HTTP: "read PORT BYTES" is answered when so many
// bytes have come from that port of the client's, "logged METHOD URL" when the log has that request.
const sockets = new Map();
function control(socket) {
  socket.setEncoding('utf8').on('error', () => {});
  socket.on('data', (line) => {
    const [word, first, second] = line.trim().split(' ');
    const isTrue = {
      read: () => sockets.has(Number(first)) && sockets.get(Number(first)).bytesRead >= Number(second),
      logged: () => log.some(({ method, url }) => method === first && url === second),
    }[word];
    const look = () => {
      if (!isTrue()) return setImmediate(look);
      if (word === 'read' && !firstBytesNs.has(Number(first))) firstBytesNs.set(Number(first), nowNs());
      socket.write('yes\n');
    };
    look();
  });
}

const pem = (name) => fs.readFileSync(path.join(__dirname, name));
const plain = http.createServer(serve).on('upgrade', upgrade);
plain.on('connection', (socket) => sockets.set(socket.remotePort, socket));
const servers = {
  http: plain,
  express: http.createServer(expressApplication()),
  https: https.createServer({ key: pem('key.pem'), cert: pem('cert.pem') }, serve),
  control: net.createServer(control),
};

async function main() {
  for (const server of Object.values(servers)) await new Promise((done) => server.listen(0, '127.0.0.1', done));
  const ports = () => Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, server.address().port]));
  const commands = { ports, log: () => log };
  require('readline')
    .createInterface({ input: process.stdin })
    .on('line', (line) => console.log(JSON.stringify(commands[line]())))
    .on('close', () => process.exit(0));
  console.log('ready');
}
main();
