'use strict';
// Serves on loopback, and answers each line "serve COUNT" of its standard input with "done" when it has asked itself COUNT requests, five
// at a time. Each touches a path with the port of the connection on which it came: behind a timer that several share, or with the
// argument "pool" behind the one connection of a pool, which whoever has it gives to the next one. V8 compiles who waits into that.
const fs = require('fs');
const http = require('http');

const sleep = () => new Promise(done => setTimeout(done, 1));

const waiting = [];
let isFree = true;
function acquire(waits) {
  if (!isFree) return waiting.push(waits);
  isFree = false;
  waits();
}
function release() {
  const waits = waiting.shift();
  if (waits) waits();
  else isFree = true;
}

const touch = (request, done) => fs.access(`/served-${request.socket.remotePort}`, done);
const handlers = {
  timer: async (request, response) => {
    await sleep();
    touch(request, () => response.end());
  },
  pool: (request, response) => {
    acquire(function waits() {
      touch(request, () => {
        release();
        response.end();
      });
    });
  },
};

const server = http.createServer(handlers[process.argv[2]]);
const agent = new http.Agent({ keepAlive: true, maxSockets: 5 });
const ask = () =>
  new Promise((done, failed) => {
    http.get({ host: '127.0.0.1', port: server.address().port, agent }, answer => answer.resume().on('end', done)).on('error', failed);
  });

async function warm(count) {
  %PrepareFunctionForOptimization(release);
  await Promise.all(Array.from({ length: count }, ask));
  %OptimizeFunctionOnNextCall(release);
  console.log('done');
}

async function serve(count) {
  await Promise.all(Array.from({ length: count }, ask));
  console.log('done');
}

require('readline').createInterface(process.stdin)
  .on('line', line => {
    const [what, count] = line.split(' ');
    return what === 'warm' ? warm(Number(count)) : serve(Number(count));
  })
  .on('close', () => process.exit());
server.keepAliveTimeout = 0; // connections stay
server.listen(0, '127.0.0.1', () => console.log('ready'));
