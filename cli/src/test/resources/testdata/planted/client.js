'use strict';
// Everything around server.js, in a process that is not recorded: the load, a backend, a name server that answers late.
// Says a line when all listen: {"backend": PORT, "dns": "127.0.0.1:PORT"}. With an argument the name server has this address
// and port 53, where the C library looks. Then, line by line on standard input:
//   load APP PORT [TIMES]     sends the load of this app, so many times as much, answers with how many requests had which status
const http = require('http');
const { startNames } = require('./names');

// Who reads a pipe keeps a thread of the pool until somebody writes, and one of the four must be left to write.
const PIPE_READERS = 3;

// Of each app: [path, how many, how many ms apart]; a path that ends with a slash is followed by a number of its own. What is sent does not wait for answers, as users do not.
const LOADS = {
  'blocked-loop': [['/import', 5, 400], ['/health', 120, 20]],
  'sync-fs': [['/page', 100, 25]],
  'starved-pool': [['/login', 60, 10], ['/avatar', 100, 25]],
  'slow-dns': [['/rates', 40, 50], ['/health', 100, 20]],
  'slow-lookup': [['/quote', 12, 200], ['/health', 100, 20]],
  'gc-storm': [['/summary', 40, 50], ['/health', 100, 20]],
  'leaking-connections': [['/price', 120, 20]],
  'agent-exhausted': [['/stock', 30, 10]],
  'refused-backend': [['/reviews', 20, 20], ['/health', 20, 20]],
  'failing-lookups': [['/offers', 20, 20], ['/health', 20, 20]],
  'repeated-lookups': [['/weather', 40, 15]],
  'calls-home': [['/theme', 40, 20]],
  retries: [['/basket/', 20, 20]],
  'resetting-backend': [['/inventory/', 24, 20]],
  'stuck-pool': [['/events', 5, 10], ['/avatar', 30, 50]],
  'n-plus-one': [['/articles', 15, 30]],
  'slow-statement': [['/report', 6, 50]],
  'contended-row': [['/take', 40, 20]],
  'one-at-a-time': [['/count', 20, 20]],
  'busy-workers': [['/batch', 1, 10], ['/page', 150, 25]],
  'long-turns': [['/invoice/', 80, 60], ['/health', 80, 60]],
  'late-tail': [['/tariff', 150, 15]],
  'limited-calls': [['/courier', 30, 10]],
  'many-calls': [['/wishes', 12, 30]],
  'refused-for-now': [['/parcel/', 20, 20]],
  sleeping: [['/receipt', 20, 20]],
  crash: [['/health', 10, 10], ['/order', 1, 200]],
  'healthy-outgoing': [
    ['/stock', 30, 20], ['/weather', 30, 20], ['/basket', 20, 30], ['/optional', 20, 30], ['/rates', 20, 30], ['/events', PIPE_READERS, 60],
    ['/later', 10, 60],
  ],
  'healthy-database': [['/articles', 30, 20], ['/report', 20, 30], ['/take/', 30, 20]],
  healthy: [['/health', 150, 20], ['/avatar', 100, 30], ['/price', 100, 30], ['/login', 10, 300]],
};

const LATE_MS = 300;
const STOCK_MS = 60;
const TARIFF_MS = 15;
const LATE_TARIFF_MS = 400;
const WISH_MS = 10;
const agent = new http.Agent({ keepAlive: true });

function ask(port, path, statuses) {
  return new Promise((done) => {
    http
      .get({ host: '127.0.0.1', port, path, agent }, (response) => {
        statuses[response.statusCode] = (statuses[response.statusCode] || 0) + 1;
        response.resume().on('end', done);
      })
      .on('error', (error) => {
        statuses[error.code] = (statuses[error.code] || 0) + 1;
        done();
      });
  });
}

function stream([path, count, apartMs], port, statuses) {
  return new Promise((done, failed) => {
    const asked = [];
    const timer = setInterval(() => {
      asked.push(ask(port, path.endsWith('/') ? path + (1000 + asked.length) : path, statuses));
      if (asked.length === count) {
        clearInterval(timer);
        Promise.all(asked).then(done, failed);
      }
    }, apartMs);
  });
}

async function load(app, port, times) {
  const statuses = {};
  await Promise.all(LOADS[app].map(([path, count, apartMs]) => stream([path, count * times, apartMs / times], port, statuses)));
  return statuses;
}

async function answer(line) {
  const [command, app, port, times = 1] = line.split(' ');
  if (command === 'load') console.log(JSON.stringify(await load(app, Number(port), Number(times))));
}

let flaky = 0;
let busy = 0;
let resets = 0;
let tariffs = 0;

function delayMs(url) {
  if (url === '/stock') return STOCK_MS;
  if (url === '/tariff') return ++tariffs % 10 === 0 ? LATE_TARIFF_MS : TARIFF_MS;
  return url.startsWith('/wish/') ? WISH_MS : 0;
}

// A price; after a while for what is in stock; of what is flaky or busy only each third time; of what resets, not each third time.
function respond(request, response) {
  if (request.url.startsWith('/resets/') && ++resets % 3 === 0) {
    request.socket.resetAndDestroy();
    return;
  }
  if (request.url.startsWith('/flaky/')) response.statusCode = ++flaky % 3 === 0 ? 200 : 503;
  if (request.url.startsWith('/busy/')) response.statusCode = ++busy % 3 === 0 ? 200 : 429;
  request.resume();
  setTimeout(() => response.end('{"price":42}'), delayMs(request.url));
}

async function main() {
  // A backend that never gives up a connection: whoever made it must close it.
  const backend = http.createServer(respond);
  backend.keepAliveTimeout = 0;
  await new Promise((done) => backend.listen(0, '127.0.0.1', done));
  const [address = '127.0.0.1', namePort = '0'] = process.argv.slice(2, 3).flatMap((given) => [given, '53']);
  const dns = await startNames(address, Number(namePort), LATE_MS);
  require('readline')
    .createInterface({ input: process.stdin })
    .on('line', answer)
    .on('close', () => process.exit(0));
  console.log(JSON.stringify({ backend: backend.address().port, dns }));
}
main();
