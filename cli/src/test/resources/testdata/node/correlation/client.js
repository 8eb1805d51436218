'use strict';
// Asks the application, 20 requests of a way at a time. Serves what the application asks for in turn. Answers the lines:
//   ask PORT,PORT FROM WAY,WAY,...   "done" when all are answered, or why one was not; FROM: the number of the first request of each
//                                    way; ways named "multiplexed…" go to the second port, in one session of HTTP/2
const http = require('http');
const http2 = require('http2');

const CONCURRENT = 20;
const answer = (request, response) => setTimeout(() => response.end('x'.repeat(100)), 2);
const backend = http.createServer({ keepAliveTimeout: 0 }, answer);
const agent = new http.Agent({ keepAlive: true, maxSockets: CONCURRENT });

const ask = (port, path) =>
  new Promise((done, failed) => {
    http.get({ host: '127.0.0.1', port, path, agent }, answer => {
      let text = '';
      answer.on('data', piece => (text += piece)).on('end', () => (answer.statusCode === 200 ? done() : failed(new Error(`${path}: ${text}`))));
    }).on('error', failed);
  });

const askIn = (session, path) =>
  new Promise((done, failed) => {
    const stream = session.request({ ':path': path });
    let status = 0;
    stream.on('response', headers => (status = headers[':status'])).on('error', failed).resume();
    stream.on('end', () => (status === 200 ? done() : failed(new Error(`${path}: ${status}`))));
  });

async function askAll([port, http2Port], from, ways) {
  for (const way of ways) {
    const session = way.startsWith('multiplexed') ? http2.connect(`http://127.0.0.1:${http2Port}`) : null;
    const one = path => (session ? askIn(session, path) : ask(port, path));
    await Promise.all(Array.from({ length: CONCURRENT }, (_, n) => one(`/${way}?n=${from + n}&backend=${backend.address().port}`)));
    if (session) await new Promise(done => session.close(done));
  }
}

backend.listen(0, '127.0.0.1', () => console.log('ready'));
require('readline').createInterface(process.stdin).on('line', line => {
  const [, ports, from, ways] = line.split(' ');
  askAll(ports.split(','), Number(from), ways.split(',')).then(() => console.log('done'), failed => console.log(String(failed).replace(/\s+/g, ' ')));
}).on('close', () => process.exit());
