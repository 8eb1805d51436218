'use strict';
// Sends pieces of bytes to servers of its own, each when the one before has been read: first on this thread, then in a worker. A line
// is answered with what the servers' sockets have been sent: a JSON array of [descriptor, size of the piece, who is to read it], as the argument type uvreader has it.
const http = require('http');
const net = require('net');
const tls = require('tls');
const { once } = require('events');
const { Worker, isMainThread, parentPort } = require('worker_threads');

const JAVASCRIPT = 1;
const BETWEEN_MESSAGES = 2;
const IN_MESSAGE = 3;
const TLS = 4;

const sent = [];
const kept = []; // so that no descriptor is another socket's later

/** Connects to the server and sends the pieces; the server's end is a socket that need not have JavaScript read it. */
async function send(server, pieces) {
  const accepted = once(server, 'connection');
  const client = net.connect(server.address().port, '127.0.0.1').resume();
  const [socket] = await accepted;
  kept.push(client, socket);
  const fd = socket._handle.fd;
  let read = 0;
  for (const [piece, reader] of pieces) {
    read += piece.length;
    sent.push([fd, piece.length, reader]);
    client.write(piece);
    while (socket.bytesRead < read) await new Promise(setImmediate);
  }
}

const KEPT = [
  ['GET /whole HTTP/1.1\r\nHost: a\r\n\r\n', BETWEEN_MESSAGES],
  ['POST /headers HTTP/1.1\r\nHo', BETWEEN_MESSAGES],
  ['st: a\r\nContent-Length: 20\r\n\r\n', IN_MESSAGE],
  ['0123456789', IN_MESSAGE],
  ['0123456789GET /pipelined HTTP/1.1\r\nHost: a\r\n\r\nG', IN_MESSAGE],
  ['ET /rest HTTP/1.1\r\nHost: a\r\n\r\n', IN_MESSAGE],
  ['\r\n', BETWEEN_MESSAGES],
  ['POST /chunked HTTP/1.1\r\nHost: a\r\nTransfer-Encoding: chunked\r\n\r\n', BETWEEN_MESSAGES],
  ['5\r\nhello\r\n', IN_MESSAGE],
  ['0\r\n', IN_MESSAGE],
  ['\r\n', IN_MESSAGE],
  ['POST /continue HTTP/1.1\r\nHost: a\r\nExpect: 100-continue\r\nContent-Length: 3\r\n\r\n', BETWEEN_MESSAGES],
  ['abc', IN_MESSAGE],
  ['GET /1 HTTP/1.1\r\nHost: a\r\n\r\nGET /2 HTTP/1.1\r\nHost: a\r\n\r\n', BETWEEN_MESSAGES],
  ['G', BETWEEN_MESSAGES],
  ['ET /split HTTP/1.1\r\nHost: a\r\n\r\n', IN_MESSAGE],
  // The answer never ends, so that the connection stays open; what follows begins no message.
  ['GET /last HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n', BETWEEN_MESSAGES],
  ['\r\n', IN_MESSAGE],
];

const UPGRADED = [
  ['GET /upgrade HTTP/1.1\r\nHost: a\r\nConnection: upgrade\r\nUpgrade: echo\r\n\r\n', BETWEEN_MESSAGES],
  ['GET /no HTTP/1.1\r\n\r\n', JAVASCRIPT],
];

async function run() {
  const web = http.createServer((request, response) => request.resume().on('end', () => request.url === '/last' || response.end()));
  web.on('upgrade', (request, socket) => socket.resume());
  const plain = net.createServer((socket) => socket.resume());
  const secure = tls.createServer().on('tlsClientError', () => {});
  for (const server of [web, plain, secure]) {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
  }
  await send(web, KEPT);
  await send(web, UPGRADED);
  await send(plain, [['GET / HTTP/1.1\r\n\r\n', JAVASCRIPT]]);
  await send(secure, [['\x16', TLS]]);
  return sent;
}

async function main() {
  if (!isMainThread) {
    parentPort.on('message', async () => parentPort.postMessage(await run()));
    return;
  }
  const worker = new Worker(__filename);
  await once(worker, 'online');
  require('readline')
    .createInterface(process.stdin)
    .on('line', async () => {
      await run();
      const others = once(worker, 'message');
      worker.postMessage('run');
      console.log(JSON.stringify(sent.concat(...(await others))));
    })
    .on('close', () => process.exit());
  console.log('ready');
}

main();
