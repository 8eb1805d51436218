'use strict';
// Serves on loopback, and answers each line "serve COUNT" of its standard input with "done" when it has asked itself COUNT requests, five
// at a time. Behind a timer that several share, each touches a path with the port of the connection on which it came.
const fs = require('fs');
const http = require('http');

const sleep = () => new Promise(done => setTimeout(done, 1));

const server = http.createServer(async (request, response) => {
  await sleep();
  fs.access(`/served-${request.socket.remotePort}`, () => response.end());
});
const agent = new http.Agent({ keepAlive: true, maxSockets: 5 });
const ask = () =>
  new Promise((done, failed) => {
    http.get({ host: '127.0.0.1', port: server.address().port, agent }, answer => answer.resume().on('end', done)).on('error', failed);
  });

async function serve(count) {
  await Promise.all(Array.from({ length: count }, ask));
  console.log('done');
}

require('readline').createInterface(process.stdin)
  .on('line', line => serve(Number(line.split(' ')[1])))
  .on('close', () => process.exit());
server.keepAliveTimeout = 0; // connections stay
server.listen(0, '127.0.0.1', () => console.log('ready'));
