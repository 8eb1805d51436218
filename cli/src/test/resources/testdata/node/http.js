'use strict';
// An HTTP server and its clients in one process, and what else goes over the network and the thread pool. Does what its
// standard input says, line by line, and answers each line with one line of JSON, its own truth:
//   exchanges     all kinds of HTTP requests, one after the other
//   names         looks names up
//   pool          has work done on the thread pool
//   gc            collects garbage, all of it
// What begins with SECRET stands in headers, bodies and values of queries: none of it may be recorded.
const http = require('http');
const https = require('https');
const net = require('net');
const dns = require('dns');
const fs = require('fs');
const path = require('path');

// For the tests alone: openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 36500 -subj /CN=localhost
const key = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQggZYqvy5a/d1qGfgH
rYjZRdKwdgeB1Duqv2gG7Bhgc5OhRANCAARFBViIkmPpKpLvjrmacgTsm0SwG5tW
agqz1LLGaJIRtDbfYaa7x7fZLQyyOwrwOTZUbgrw8+lKYChX1S/FeXsK
-----END PRIVATE KEY-----`;
const cert = `-----BEGIN CERTIFICATE-----
MIIBfjCCASWgAwIBAgIUCvTXNyU62FqVlynXmHibZOjO1YswCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyMTE5MTAwMFoYDzIxMjYxMDI4
MTkxMDAwWjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAARFBViIkmPpKpLvjrmacgTsm0SwG5tWagqz1LLGaJIRtDbfYaa7x7fZ
LQyyOwrwOTZUbgrw8+lKYChX1S/FeXsKo1MwUTAdBgNVHQ4EFgQUV2+Pv75x/AdC
CUZvtNw5QMH0xj0wHwYDVR0jBBgwFoAUV2+Pv75x/AdCCUZvtNw5QMH0xj0wDwYD
VR0TAQH/BAUwAwEB/zAKBggqhkjOPQQDAgNHADBEAiBxDvDW6OviBnOyttTnbMZx
9+T/4zMrt3/A2N+Y2C05TgIgeiscLyMZXKZSRjVjyfwKntRyRlFQ+GWgXAdMie+c
rWQ=
-----END CERTIFICATE-----`;

const socketPath = path.join(__dirname, 'http.sock');
const served = []; // [method, url, status]; 0 = never answered
const sent = []; // likewise, of the clients
const peers = []; // remote addresses as the server saw them

function received(stream) {
  return new Promise((done) => stream.on('data', () => {}).on('end', done).on('close', done));
}

async function serve(request, response) {
  const entry = [request.method, request.url, 0];
  served.push(entry);
  request.on('error', () => {});
  await received(request);
  if (request.destroyed && !request.complete) return;
  const status = request.url.startsWith('/missing') ? 404 : 200;
  response.on('finish', () => (entry[2] = status));
  response.setHeader('X-Answer', 'SECRET-header-of-an-answer');
  response.writeHead(status);
  if (request.url.startsWith('/chunked')) {
    response.write('SECRET-first-chunk');
    setImmediate(() => response.end('SECRET-second-chunk'));
  } else if (request.url.startsWith('/big')) {
    response.end(Buffer.alloc(300000, 'SECRET-big-'));
  } else {
    response.end('GET /SECRET-body HTTP/1.1\r\nSECRET');
  }
}

function upgrade(request, socket) {
  served.push([request.method, request.url, 101]);
  socket.end('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\nSECRET-frame');
}

const server = http.createServer(serve).on('upgrade', upgrade);
const secure = https.createServer({ key, cert }, serve);
const local = http.createServer(serve);
// Its answers end with the connection.
const old = net.createServer((socket) => {
  socket.on('error', () => {});
  socket.once('data', () => socket.end('HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nSECRET-until-the-end'));
});
const open = new Set();
server.on('connection', (socket) => {
  peers.push(`${socket.remoteAddress}:${socket.remotePort}`);
  open.add(socket);
});

function ask(lib, options, body) {
  const entry = [options.method || 'GET', options.path, 0];
  sent.push(entry);
  return new Promise((done, failed) => {
    const headers = { 'X-Question': 'SECRET-header-of-a-question' };
    lib
      .request({ headers, rejectUnauthorized: false, ...options }, async (response) => {
        await received(response);
        entry[2] = response.statusCode;
        done();
      })
      .on('error', failed)
      .end(body);
  });
}

// Gives the connection to use(socket) and waits until it is closed.
function raw(use) {
  return new Promise((done, failed) => {
    const socket = net.connect(server.address().port, '127.0.0.1', () => use(socket));
    socket.setNoDelay().on('data', () => {}).on('close', done).on('error', failed);
  });
}

function until(condition) {
  return new Promise((done) => {
    const look = () => (condition() ? done() : setImmediate(look));
    look();
  });
}

// The pieces go in TCP segments of their own: each waits until the server has read the one before.
async function inPieces(socket, pieces) {
  let arrived = 0;
  const [connection] = await connections();
  for (const piece of pieces) {
    socket.write(piece);
    arrived += piece.length;
    await until(() => connection.bytesRead >= arrived || connection.destroyed);
  }
}

let accepted = [];
server.on('connection', (socket) => accepted.push(socket));
async function connections() {
  await until(() => accepted.length > 0);
  return accepted;
}

async function exchanges() {
  const port = server.address().port;
  const keepAlive = new http.Agent({ keepAlive: true, maxSockets: 1 });
  await ask(http, { port, path: '/plain?name=SECRET-1&n=SECRET-2', agent: keepAlive });
  await ask(http, { port, path: '/post', method: 'POST', agent: keepAlive }, 'SECRET-body-of-a-question');
  await ask(http, { port, path: '/chunked', agent: keepAlive });
  await ask(http, { port, path: '/missing', method: 'HEAD', agent: keepAlive });
  // Node hands more than 31 headers to JavaScript in two parts, the URL with the first.
  const many = Object.fromEntries(Array.from({ length: 40 }, (none, n) => [`X-Header-${n}`, `SECRET-header-${n}`]));
  await ask(http, { port, path: '/many?headers=SECRET-6', headers: many, agent: keepAlive });
  keepAlive.destroy();
  await ask(http, { port, path: '/big', agent: false });
  await ask(http, { socketPath, path: '/local', agent: false });
  await ask(http, { port: old.address().port, path: '/old', agent: false });
  const tls = new https.Agent({ keepAlive: true, maxSockets: 1 });
  await ask(https, { port: secure.address().port, path: '/tls?token=SECRET-3', agent: tls });
  await ask(https, { port: secure.address().port, path: '/tls-post', method: 'PUT', agent: tls }, 'SECRET-tls-body');
  tls.destroy();
  accepted = [];
  await raw((socket) => inPieces(socket, ['GET /pie', 'ces?key=SEC', 'RET-4&other=SECRET-5 HTTP/1.1\r\nHost: x\r\nConnect', 'ion: close\r\n\r\n']));
  await raw((socket) => socket.write('GET /first HTTP/1.1\r\nHost: x\r\n\r\nDELETE /second HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n'));
  await raw((socket) => socket.write('GET /socket HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n'));
  await raw(async (socket) => {
    const before = served.length;
    socket.write('POST /aborted HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\nSECRET-half-a-body');
    await until(() => served.length > before);
    socket.destroy();
  });
  await until(() => served[served.length - 1][1] === '/aborted');
  // The other end may be seen to close later.
  await until(() => [...open].every((socket) => socket.destroyed));
  return { served, sent, peers, port, socketPath };
}

async function names() {
  const codes = [];
  const note = (looking) => looking.then(() => codes.push('found'), (error) => codes.push(error.code));
  await note(dns.promises.lookup('localhost', 4));
  await note(dns.promises.lookup('no-such-host.invalid'));
  await note(dns.promises.lookupService('127.0.0.1', 22));
  const resolver = new dns.promises.Resolver({ timeout: 200, tries: 1 });
  resolver.setServers([`127.0.0.1:${server.address().port}`]); // nobody answers there by UDP
  await note(resolver.resolveMx('mail.example'));
  await note(resolver.resolve4('host.example'));
  return { codes };
}

async function pool() {
  const crypto = require('crypto');
  const zlib = require('zlib');
  // Twice as many as there are threads: half of them must wait.
  const digests = Array.from({ length: 8 }, () =>
    new Promise((done) => crypto.pbkdf2('SECRET-password', 'salt', 20000, 32, 'sha256', done)));
  await Promise.all(digests);
  await new Promise((done) => zlib.deflateRaw('x'.repeat(1000), done));
  await fs.promises.readFile(__filename);
  return { crypto: digests.length };
}

async function gc() {
  require('v8').setFlagsFromString('--expose-gc');
  require('vm').runInNewContext('gc')();
  return {};
}

const commands = { exchanges, names, pool, gc };

async function main() {
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  await new Promise((done) => secure.listen(0, '127.0.0.1', done));
  await new Promise((done) => old.listen(0, '127.0.0.1', done));
  await new Promise((done) => local.listen(socketPath, done));
  require('readline')
    .createInterface({ input: process.stdin })
    .on('line', async (line) => console.log(JSON.stringify(await commands[line]())))
    .on('close', () => process.exit(0));
  console.log('ready');
}
main();
