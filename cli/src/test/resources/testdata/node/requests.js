'use strict';
// HTTP/1 servers and clients, and a log of what they see. On standard input come commands, one a line, with the ports to talk
// to, which another process of this script may have; the answer is one line of JSON:
//   open PORTS    opens connections, with requests that are not answered, or not whole
//   go-on PORTS   goes on with them
//   ask PORTS     sends requests with http and fetch; answers with what was sent
//   raw PORTS     writes requests to sockets: in pieces, behind one another, broken, aborted
//   secure PORTS  sends requests with https
//   sent          answers with what was sent with https
//   served        answers with what the servers have seen
// All times are of CLOCK_MONOTONIC, in ns. What has SECRET in it must not be recorded.
const fs = require('fs');
const http = require('http');
const https = require('https');
const net = require('net');
const path = require('path');
const { Worker, isMainThread, parentPort } = require('worker_threads');

const BIG = 1 << 20;
const SECRETS = { Cookie: 'session=SECRET-cookie', Authorization: 'Bearer SECRET-authorization' };
let rounds = 0;
const now = () => Number(process.hrtime.bigint());
const closed = (stream) => new Promise((done) => stream.on('error', () => {}).on('close', done));
const received = (stream) => new Promise((done) => stream.on('data', () => {}).on('error', done).on('end', done).on('close', done));

// --- servers
const served = [];
let release = () => {};

async function serve(request, response) {
  const entry = { method: request.method, url: request.url, status: 0, seenNs: now(), endNs: 0, port: request.socket.remotePort };
  served.push(entry);
  response.on('finish', () => (entry.endNs = now()));
  const end = (status, body, headers = {}) => {
    entry.status = status;
    entry.answeredNs = now();
    response.writeHead(status, { 'Set-Cookie': 'SECRET-answer', ...headers }).end(body);
  };
  const kind = request.url.split('/')[1];
  if (kind === 'early') return end(413, 'too much');
  if (kind === 'abort') return closed(response);
  await received(request);
  if (!request.complete) return void (entry.status = 400); // Node answers it by itself
  switch (kind) {
    case 'held': return new Promise((done) => (release = done)).then(() => end(200, 'held'));
    case 'release': release(); return end(200, 'released');
    case 'slow': return setTimeout(() => end(200, 'slow'), 30);
    case 'none': return end(204);
    case 'same': return end(304);
    case 'missing': return end(404, 'missing');
    case 'big': return end(200, Buffer.alloc(BIG, 'SECRET-big-'));
    case 'hang': entry.answeredNs = now(); return request.socket.destroy();
    case 'half':
      entry.status = 200;
      entry.answeredNs = now();
      response.writeHead(200, { 'Content-Length': 1000 });
      return response.write('half', () => request.socket.destroy());
    case 'close': return end(200, 'bye', { Connection: 'close' });
    case 'chunked':
      entry.status = 200;
      entry.answeredNs = now();
      response.write('SECRET-first-chunk');
      return setImmediate(() => response.end('SECRET-second-chunk'));
    case 'many':
      entry.status = 200;
      entry.answeredNs = now();
      for (let n = 0; n < 16; n++) response.write(Buffer.alloc(BIG / 16, 'SECRET-many-'));
      return response.end();
    default: return end(200, 'ok');
  }
}

function upgrade(request, socket) {
  served.push({ method: request.method, url: request.url, status: 101, seenNs: now(), answeredNs: now(), endNs: 0, port: request.socket.remotePort });
  socket.on('error', () => {}).on('end', () => socket.end());
  socket.write('HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: echo\r\n\r\n');
  socket.on('data', (data) => socket.write(data));
}

const listen = (server, ...where) => new Promise((done) => server.listen(...where, () => done(server.address())));
const plain = () => http.createServer({ keepAliveTimeout: 600_000 }, serve).on('upgrade', upgrade);

async function inWorker() {
  const { port } = await listen(plain(), 0, '127.0.0.1');
  parentPort.on('message', () => parentPort.postMessage(served)).postMessage(port);
}

// --- clients
const sent = [];
const agents = [];

function request(lib, options, body) {
  const entry = { method: options.method || 'GET', url: options.path, status: 0, error: '', sentNs: now(), endNs: 0 };
  sent.push(entry);
  return new Promise((done) => {
    const over = (error) => {
      entry.endNs ||= now();
      entry.error ||= (error && error.code) || '';
      done(entry);
    };
    const asked = lib
      .request({ host: '127.0.0.1', rejectUnauthorized: false, ...options, headers: { ...SECRETS, ...options.headers } })
      .on('error', over)
      .on('upgrade', (response, socket) => {
        entry.status = response.statusCode;
        entry.endNs = now();
        socket.on('close', () => over()).on('data', () => socket.end()).write('SECRET-frame');
      })
      .on('response', (response) => {
        entry.status = response.statusCode;
        response.on('data', () => {}).on('error', over).on('end', () => over());
      });
    if (options.abort) asked.on('finish', () => options.abort.then(() => asked.destroy()));
    if (options.waits) asked.on('continue', () => asked.end(body)).flushHeaders();
    else asked.end(body);
  });
}

async function fetched(port, url, options = {}) {
  const entry = { method: options.method || 'GET', url, status: 0, error: '', sentNs: now(), endNs: 0 };
  sent.push(entry);
  const response = await fetch(`http://127.0.0.1:${port}${url}`, { headers: SECRETS, ...options });
  await response.arrayBuffer();
  entry.status = response.status;
  entry.endNs = now();
}

const refusedPort = async () => {
  const server = net.createServer();
  const { port } = await listen(server, 0, '127.0.0.1');
  await new Promise((done) => server.close(done));
  return port;
};

async function ask({ port, worker, socketPath }) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  agents.push(agent);
  const kept = (path, options = {}, body) => request(http, { port, path, agent, ...options }, body);
  const once = (path, options = {}, body) => request(http, { port, path, agent: false, ...options }, body);
  for (let n = 0; n < 5; n++) await kept(`/kept/${n}?token=SECRET-token`);
  await kept('/post', { method: 'POST' }, 'SECRET-body');
  await kept('/upload', { method: 'PUT' }, Buffer.alloc(BIG, 'SECRET-up-'));
  await kept('/head', { method: 'HEAD' });
  await kept('/none', { method: 'DELETE' });
  await kept('/same');
  await kept('/missing');
  await kept('/chunked');
  await kept('/many');
  await kept('/big');
  await kept('/slow');
  await kept('/cookies', { headers: { Cookie: `SECRET-cookies=${'c'.repeat(3000)}` } });
  await kept('/' + 'long/'.repeat(120) + 'end');
  await kept('/continue', { method: 'POST', waits: true, headers: { Expect: '100-continue' } }, 'SECRET-waited');
  await kept('/last');
  await kept('/close');
  await once('/once');
  await once('/once/post', { method: 'POST' }, 'SECRET-body');
  await once('/hang');
  await once('/half');
  await once('/upgrade', { headers: { Connection: 'Upgrade', Upgrade: 'echo' } });
  await once('/worker', { port: worker });
  await once('/local', { socketPath });
  await once('/refused', { port: await refusedPort() });
  await Promise.all(Array.from({ length: 10 }, (none, n) => once(`/at-once/${n}`)));
  await fetched(port, '/fetched/1?token=SECRET-token');
  await fetched(port, '/fetched/2', { method: 'POST', body: 'SECRET-body' });
  await fetched(port, '/missing/fetched');
  await fetched(port, '/none/fetched');
  await fetched(port, '/big/fetched');
  await Promise.all(Array.from({ length: 5 }, (none, n) => fetched(port, `/slow/fetched/${n}`)));
  return sent.splice(0);
}

async function secure({ tls }) {
  const n = rounds++;
  const agent = new https.Agent({ keepAlive: true, maxSockets: 1 });
  const kept = (path, options = {}, body) => request(https, { port: tls, path, agent, ...options }, body);
  await kept(`/tls/get/${n}?token=SECRET-token`);
  await kept(`/tls/post/${n}`, { method: 'POST' }, 'SECRET-body');
  await kept(`/missing/tls/${n}`, { method: 'HEAD' });
  await kept(`/big/tls/${n}`);
  await kept(`/chunked/tls/${n}`);
  await request(https, { port: tls, path: `/tls/once/${n}`, agent: false });
  agent.destroy();
  return {};
}

// --- sockets
const until = (condition) => new Promise((done) => {
  const look = () => (condition() ? done() : setImmediate(look));
  look();
});
const hex = (port) => ':' + port.toString(16).toUpperCase().padStart(4, '0');

// Whether the other end has read all that was written to the socket: the queue of the connection there is empty.
function isRead(socket, from, to) {
  const rows = fs.readFileSync('/proc/net/tcp', 'latin1').split('\n').map((line) => line.trim().split(/\s+/));
  const queues = (local, remote) => rows.find((row) => row[1] && row[1].endsWith(hex(local)) && row[2].endsWith(hex(remote)));
  const [here, there] = [queues(from, to), queues(to, from)];
  const isEmpty = !here || !there || (here[4].startsWith('00000000:') && there[4].endsWith(':00000000'));
  return socket.destroyed || (socket.writableLength === 0 && isEmpty);
}

async function raw(port, pieces, isAnswered = true) {
  const socket = net.connect(port, '127.0.0.1');
  const end = closed(socket);
  await new Promise((done) => socket.setNoDelay().on('connect', done));
  let answer = '';
  socket.on('data', (data) => (answer += data));
  for (const piece of pieces) {
    socket.write(piece);
    await until(() => isRead(socket, socket.localPort, port));
  }
  if (!isAnswered) socket.destroy();
  await end;
  return answer;
}

async function rawAll({ port }) {
  const head = '\r\nHost: x\r\nAuthorization: SECRET\r\n';
  const close = `${head}Connection: close\r\n\r\n`;
  await raw(port, ['GET /split/url?token=SEC', `RET-token HTTP/1.1${close}`]);
  await raw(port, ['GET /split/head HTTP/1.1\r\nHo', 'st: x\r\nConnection: close\r\n\r\n']);
  await raw(port, ['G', `ET /split/method HTTP/1.1${close}`]);
  await raw(port, ['\r\n', `GET /split/blank HTTP/1.1${close}`]);
  await raw(port, [`\r\nGET /blank HTTP/1.1${close}`]);
  await raw(port, [`POST /split/body HTTP/1.1${head}Content-Length: 10\r\nConnection: close\r\n\r\n`, 'SECRE', 'T-bod']);
  await raw(port, [`POST /split/chunks HTTP/1.1${head}Transfer-Encoding: chunked\r\nConnection: close\r\n\r\n`, '6\r\nSECRET\r\n', '0\r\n\r\n']);
  await raw(port, [`GET /piped/1 HTTP/1.1${head}\r\nDELETE /missing/piped HTTP/1.1${close}`]);
  await raw(port, [`GET /piped/2 HTTP/1.1${head}\r\nGET /missing/piped/2 HTTP/1.1${head}\r\n`, `GET /piped/3 HTTP/1.1${close}`]);
  await raw(port, [`GET /slow/piped HTTP/1.1${head}\r\n`, `GET /missing/piped/4 HTTP/1.1${close}`]);
  await raw(port, [`POST /piped/5 HTTP/1.1${head}Content-Length: 6\r\n\r\nSECRETGET /missing/piped/6 HTTP/1.1${close}`]);
  await raw(port, [`POST /piped/7 HTTP/1.1${head}Transfer-Encoding: chunked\r\n\r\n6\r\nSECRET\r\n0\r\n\r\nGET /missing/piped/8 HTTP/1.1${close}`]);
  await raw(port, [`POST /piped/9 HTTP/1.1${head}Content-Length: 6\r\n\r\n`, `secretGET /missing/piped/10 HTTP/1.1${close}`]);
  await raw(port, ['SECRET NONSENSE\r\n\r\n']);
  await raw(port, [`GET /kept/before HTTP/1.1${head}\r\n`, 'SECRET NONSENSE\r\n\r\n']);
  await raw(port, [`GET /heavy HTTP/1.1\r\nHost: x\r\nX-Heavy: ${'SECRET'.repeat(4000)}\r\n\r\n`]);
  await raw(port, [`POST /early HTTP/1.1${head}Content-Length: 1000000\r\nConnection: close\r\n\r\nSECRET`]);
  await raw(port, [`GET /abort/1 HTTP/1.1${head}\r\n`], false);
  await raw(port, [`POST /post/abort HTTP/1.1${head}Content-Length: 100\r\n\r\nSECRET`], false);
  return {};
}

const opened = {};
async function open({ port }) {
  opened.agent = new http.Agent({ keepAlive: true, maxSockets: 1 });
  await request(http, { port, path: '/before', agent: opened.agent });
  opened.held = request(http, { port, path: '/held', agent: false });
  opened.body = net.connect(port, '127.0.0.1');
  opened.body.write('POST /body-before HTTP/1.1\r\nHost: x\r\nContent-Length: 6\r\n\r\nSEC');
  opened.head = net.connect(port, '127.0.0.1');
  opened.head.write('GET /head-before HTTP/1.1\r\nHost: x\r\n');
  await until(() => opened.head.localPort && isRead(opened.head, opened.head.localPort, port));
  await until(() => opened.body.localPort && isRead(opened.body, opened.body.localPort, port));
  return {};
}

async function goOn({ port }) {
  await request(http, { port, path: '/missing/after', agent: opened.agent });
  await request(http, { port, path: '/release', agent: opened.agent });
  await opened.held;
  const ends = [opened.body, opened.head].map((socket) => closed(socket.on('data', () => {})));
  opened.body.write('RETGET /missing/after-body HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n');
  opened.head.write('Connection: close\r\n\r\n');
  await Promise.all(ends);
  opened.agent.destroy();
  return {};
}

// ---
async function main() {
  const [, , keyFile, certFile] = process.argv;
  const worker = new Worker(__filename);
  const fromWorker = () => new Promise((done) => worker.once('message', done));
  const ports = { worker: await fromWorker(), socketPath: path.join(__dirname, `requests-${process.pid}.sock`) };
  ports.port = (await listen(plain(), 0, '127.0.0.1')).port;
  ports.tls = (await listen(https.createServer({ key: fs.readFileSync(keyFile), cert: fs.readFileSync(certFile) }, serve), 0, '127.0.0.1')).port;
  await listen(plain(), ports.socketPath);
  const all = async () => {
    worker.postMessage('served');
    return [...served, ...(await fromWorker())];
  };
  const commands = { open, 'go-on': goOn, ask, raw: rawAll, secure, served: all, sent: async () => sent.splice(0) };
  console.log(JSON.stringify(ports));
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    const [command, to] = line.split(' ');
    console.log(JSON.stringify(await commands[command](to ? JSON.parse(to) : ports)));
  }
  process.exit(0);
}
if (isMainThread) main();
else inWorker();
