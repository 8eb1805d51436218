'use strict';
// An HTTP server and its client in one process, whose connections are there before anything is asked of them and are kept.
// Arguments: how many connections; how many idle ones beside them. The first line is JSON: {port, socketPath, locals},
// locals: the client's ports, in the order of the connections. Each line of standard input has every connection ask once,
// /N for the connection N and /unix over a UNIX socket, and is answered with "done".
const http = require('http');
const net = require('net');
const path = require('path');

const count = Number(process.argv[2] ?? 3);
const idle = Number(process.argv[3] ?? 0);
const socketPath = path.join(__dirname, 'kept.sock');
const answer = (request, response) => response.end('ok');
const server = http.createServer({ keepAliveTimeout: 0 }, answer);
const local = http.createServer({ keepAliveTimeout: 0 }, answer);
const agents = Array.from({ length: count + 1 }, () => new http.Agent({ keepAlive: true, maxSockets: 1 }));
const locals = [];

function ask(n) {
  const where = n === count ? { socketPath, path: '/unix' } : { port: server.address().port, path: '/' + n };
  return new Promise((done, failed) => {
    const request = http.get({ host: '127.0.0.1', agent: agents[n], ...where }, (response) => {
      locals[n] = response.socket.localPort;
      response.resume().on('end', done);
    });
    request.on('error', failed);
  });
}

async function askAll() {
  for (let n = 0; n <= count; n++) await ask(n);
}

server.listen(0, '127.0.0.1', 65535, () =>
  local.listen(socketPath, async () => {
    for (let i = 0; i < idle; i++) {
      await new Promise((there) => net.connect(server.address().port, '127.0.0.1', there));
    }
    await askAll();
    console.log(JSON.stringify({ port: server.address().port, socketPath, locals }));
    require('readline')
      .createInterface({ input: process.stdin })
      .on('line', async () => {
        await askAll();
        console.log('done');
      })
      .on('close', () => process.exit());
  }),
);
