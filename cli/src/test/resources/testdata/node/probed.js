'use strict';
// An application with the package probestream, whose folder is its argument. Does what its standard input says, line by
// line, and answers each line when it is done:
//   get PATH           asks itself for PATH over a connection of its own -> the port of the server, that of the client
//   collect            collects garbage -> "collected"
//   checkout N TEXT    fires the probe app:checkout -> "enabled" or "disabled", as it was before
//   work N TEXT        the same in a worker thread
//   semaphores         -> those of the eight probes of provider node
const http = require('http');
const v8 = require('v8');
const vm = require('vm');
const { Worker } = require('worker_threads');

const folder = process.argv[2];
const { probe } = require(folder);
const { semaphores } = require(folder + '/lib/binding.js');

const checkout = probe('checkout', 'int', 'string', 'int32');
v8.setFlagsFromString('--expose-gc');
const collect = vm.runInNewContext('gc');
const server = http.createServer((request, response) => response.end('hello'));

function work(number, text, answer) {
  const script = `
    const checkout = require(${JSON.stringify(folder)}).probe('checkout', 'int', 'string', 'int32');
    const before = checkout.enabled;
    checkout.fire(${number}, ${JSON.stringify(text)}, -7);
    require('worker_threads').parentPort.postMessage(before ? 'enabled' : 'disabled');`;
  let said;
  new Worker(script, { eval: true }).on('message', (text) => (said = text)).on('exit', () => answer(said));
}

const commands = {
  get: (path, _, answer) => {
    let ports;
    http
      .get({ port: server.address().port, host: '127.0.0.1', path, agent: false }, (response) => {
        ports = `${response.socket.remotePort} ${response.socket.localPort}`;
        response.resume();
      })
      // The server's side ends when it has seen ours.
      .on('close', () => server.getConnections((error, count) => settled(count, () => answer(ports))));
  },
  collect: (_1, _2, answer) => {
    collect();
    answer('collected');
  },
  checkout: (number, text, answer) => {
    const before = checkout.enabled;
    checkout.fire(BigInt(number), text, -7);
    answer(before ? 'enabled' : 'disabled');
  },
  work,
  semaphores: (_1, _2, answer) => answer(new Uint16Array(semaphores).join(' ')),
};

function settled(connections, done) {
  if (connections === 0) return done();
  setImmediate(() => server.getConnections((error, count) => settled(count, done)));
}

server.listen(0, '127.0.0.1', () => {
  require('readline')
    .createInterface({ input: process.stdin })
    .on('line', (line) => {
      const [command, first, second] = line.split(' ');
      commands[command](first, second, (text) => console.log(text));
    })
    .on('close', () => process.exit(0));
  console.log('ready');
});
