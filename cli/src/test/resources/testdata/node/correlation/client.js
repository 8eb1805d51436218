'use strict';
// Asks the application, 20 requests of a way at a time. Serves what the application asks for in turn. Answers the lines:
//   ask PORT WAY,WAY,...   "done" when all are answered, or why one was not
const http = require('http');

const CONCURRENT = 20;
const backend = http.createServer((request, response) => setTimeout(() => response.end('x'.repeat(100)), 2));
const agent = new http.Agent({ keepAlive: true, maxSockets: CONCURRENT });

const ask = (port, path) =>
  new Promise((done, failed) => {
    http.get({ host: '127.0.0.1', port, path, agent }, answer => {
      let text = '';
      answer.on('data', piece => (text += piece)).on('end', () => (answer.statusCode === 200 ? done() : failed(new Error(`${path}: ${text}`))));
    }).on('error', failed);
  });

async function askAll(port, ways) {
  for (const way of ways) {
    await Promise.all(Array.from({ length: CONCURRENT }, (_, n) => ask(port, `/${way}?n=${n}&backend=${backend.address().port}`)));
  }
}

backend.listen(0, '127.0.0.1', () => console.log('ready'));
require('readline').createInterface(process.stdin).on('line', line => {
  const [, port, ways] = line.split(' ');
  askAll(port, ways.split(',')).then(() => console.log('done'), failed => console.log(String(failed).replace(/\s+/g, ' ')));
}).on('close', () => process.exit());
