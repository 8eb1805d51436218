'use strict';
// Keeps connections to itself, on this thread and in a worker, each thread for itself. A line is answered with "done" when it is
// done on both threads:
//   exchange   all clients have been sent a byte for each of theirs, ROUNDS times, and one of them BIG bytes at once: more than
//              the buffers of a connection can hold, so that libuv goes on with the rest when there is room
//   end        a client has ended its side of the connection, and has been sent a byte for that
const net = require('net');
const { once } = require('events');
const { Worker, isMainThread, parentPort } = require('worker_threads');

const CONNECTIONS = 4;
const ROUNDS = 10;
const BIG = 32 << 20;
const SMALL_ANSWER = 's';
const BIG_ANSWER = 'b';

async function connected() {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('end', () => socket.end('e'));
    socket.on('data', (asked) => socket.write(String(asked) === BIG_ANSWER ? Buffer.alloc(BIG) : asked));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const clients = Array.from({ length: CONNECTIONS }, () => net.connect(server.address().port, '127.0.0.1'));
  await Promise.all(clients.map((client) => once(client, 'connect')));
  return clients;
}

function ask(client, what, size) {
  return new Promise((resolve) => {
    let missing = size;
    client.on('data', function read(bytes) {
      missing -= bytes.length;
      if (missing > 0) return;
      client.off('data', read);
      resolve();
    });
    client.write(what);
  });
}

async function exchange(clients) {
  for (let i = 0; i < ROUNDS; i++) await Promise.all(clients.map((client) => ask(client, SMALL_ANSWER, 1)));
  await ask(clients[0], BIG_ANSWER, BIG);
}

async function end(clients) {
  const client = clients.pop();
  client.end();
  await once(client.resume(), 'end');
}

async function main() {
  const commands = { exchange, end };
  const clients = await connected();
  await exchange(clients);
  if (!isMainThread) {
    parentPort.on('message', (what) => commands[what](clients).then(() => parentPort.postMessage('done')));
    parentPort.postMessage('ready');
    return;
  }
  const worker = new Worker(__filename);
  await once(worker, 'message');
  require('readline')
    .createInterface(process.stdin)
    .on('line', async (what) => {
      const others = once(worker, 'message');
      worker.postMessage(what);
      await Promise.all([commands[what](clients), others]);
      console.log('done');
    })
    .on('close', () => process.exit());
  console.log('ready');
}

main();
