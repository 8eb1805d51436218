'use strict';
// Everything around server.js, in a process that is not recorded: the load, a backend, a name server that answers late.
// Says a line when all listen: {"backend": PORT, "dns": "127.0.0.1:PORT"}. With an argument the name server has this address
// and port 53, where the C library looks. Then, line by line on standard input:
//   load APP PORT     sends the load of this app, answers with how many requests had which status
const http = require('http');
const { startNames } = require('./names');

// Of each app: [path, how many, how many ms apart]. What is sent does not wait for answers, as users do not.
const LOADS = {
  'blocked-loop': [['/import', 5, 400], ['/health', 120, 20]],
  'sync-fs': [['/page', 100, 25]],
  'starved-pool': [['/login', 60, 10], ['/avatar', 100, 25]],
  'slow-dns': [['/rates', 40, 50], ['/health', 100, 20]],
  'slow-lookup': [['/quote', 12, 200], ['/health', 100, 20]],
  'gc-storm': [['/summary', 40, 50], ['/health', 100, 20]],
  'leaking-connections': [['/price', 120, 20]],
  healthy: [['/health', 150, 20], ['/avatar', 100, 30], ['/price', 100, 30], ['/login', 10, 300]],
};

const LATE_MS = 300;
const agent = new http.Agent({ keepAlive: true });

function ask(port, path, statuses) {
  return new Promise((done, failed) => {
    http
      .get({ host: '127.0.0.1', port, path, agent }, (response) => {
        statuses[response.statusCode] = (statuses[response.statusCode] || 0) + 1;
        response.resume().on('end', done);
      })
      .on('error', failed);
  });
}

function stream([path, count, apartMs], port, statuses) {
  return new Promise((done, failed) => {
    const asked = [];
    const timer = setInterval(() => {
      asked.push(ask(port, path, statuses));
      if (asked.length === count) {
        clearInterval(timer);
        Promise.all(asked).then(done, failed);
      }
    }, apartMs);
  });
}

async function load(app, port) {
  const statuses = {};
  await Promise.all(LOADS[app].map((one) => stream(one, port, statuses)));
  return statuses;
}

async function answer(line) {
  const [command, app, port] = line.split(' ');
  if (command === 'load') console.log(JSON.stringify(await load(app, Number(port))));
}

async function main() {
  // A backend that never gives up a connection: whoever made it must close it.
  const backend = http.createServer((request, response) => response.end('{"price":42}'));
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
