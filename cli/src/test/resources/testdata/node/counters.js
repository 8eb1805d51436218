'use strict';
// What the counters of a process show: node counters.js MODE. Prints a line when it is ready; answers "run MS" on its standard input when
// it has done that for so long, and "truth" with a line of JSON; ends with its standard input.
const fs = require('fs');
const net = require('net');
const path = require('path');
const v8 = require('v8');
const vm = require('vm');

v8.setFlagsFromString('--expose-gc');
const collectAll = vm.runInNewContext('gc');
const PART = path.join(__dirname, 'part.txt');
const kept = [];
const held = [];

const pause = (ms) => new Promise((done) => setTimeout(done, ms));

function usedMs() {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}

// Opened and never closed.
function readPart() {
  held.push(fs.openSync(PART));
}

function rememberRows() {
  const rows = [];
  for (let row = 0; row < 40000; row++) rows.push({ row, label: `row ${row}`, parts: [row, row + 1] });
  return rows;
}

// 15 ms of CPU time, however busy the machine is.
function refreshRates() {
  const until = usedMs() + 15;
  let sum = 0;
  while (usedMs() < until) for (let i = 0; i < 20000; i++) sum += Math.sqrt(i);
  return sum;
}

async function drainQueue() {
  let sum = 0;
  for (let i = 0; i < 300000; i++) sum += await i;
  return sum;
}

function listen(backlog) {
  const server = net.createServer((socket) => socket.on('error', () => {}));
  return new Promise((done) => server.listen({ port: 0, host: '127.0.0.1', backlog }, () => done(server)));
}

// All in one turn: the loop accepts none of them meanwhile.
function connect(server, count) {
  const { port } = server.address();
  return Array.from({ length: count }, () => net.connect(port, '127.0.0.1').on('error', () => {}));
}

async function every(ms, lastsMs, work) {
  for (const until = Date.now() + lastsMs; Date.now() < until; await pause(ms)) await work();
}

const modes = {
  // Descriptors, the heap, and connections that nobody accepts in time.
  async grows(ms) {
    connect(await listen(3), 60);
    await Promise.all([
      every(30, ms, readPart),
      every(400, ms, () => {
        kept.push(rememberRows());
        collectAll();
      }),
    ]);
  },
  burns: (ms) => every(1, ms, refreshRates),
  async floods(ms) {
    for (const until = Date.now() + ms; Date.now() < until; await new Promise(setImmediate)) await drainQueue();
  },
  // The like of all that, and nothing wrong with it.
  async healthy(ms) {
    for (let i = 0; i < 80; i++) readPart();
    connect(await listen(511), 60);
    await Promise.all([
      every(30, ms, () => fs.promises.readFile(PART)),
      every(60, ms, refreshRates),
      every(10, ms, async () => {
        for (let i = 0; i < 100; i++) await i;
      }),
      every(400, ms, () => {
        kept[0] = rememberRows();
        collectAll();
      }),
    ]);
  },
  // Twenty ends of connections, five files, some CPU time; then it waits.
  async holds() {
    const sockets = connect(await listen(77), 10);
    await Promise.all(sockets.map((socket) => new Promise((done) => socket.on('connect', done))));
    for (let i = 0; i < 5; i++) readPart();
    for (let i = 0; i < 20; i++) refreshRates();
    await pause(50);
  },
};

async function answer(line) {
  const [command, ms] = line.split(' ');
  if (command === 'run') {
    await modes[process.argv[2]](Number(ms));
    console.log('done');
  } else if (command === 'truth') {
    const { user, system } = process.cpuUsage();
    console.log(
      JSON.stringify({
        user,
        system,
        rss: process.memoryUsage.rss(),
        descriptors: fs.readdirSync('/proc/self/fd').length - 1,
        files: held.length,
      }),
    );
  }
}

fs.writeFileSync(PART, 'a part');
require('readline')
  .createInterface({ input: process.stdin })
  .on('line', answer)
  .on('close', () => process.exit(0));
console.log('ready');
