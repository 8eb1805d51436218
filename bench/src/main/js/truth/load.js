'use strict';
// Asks a server, 20 requests at a time, each as soon as one was answered. Serves what that server asks for in turn, each after 10 ms.
// Prints the port of this when it is ready, and answers each line of its standard input with one:
//   PORT CLIENT FIRST COUNT     "done" when /CLIENT/FIRST and the next ones are answered and all has been silent for a while (a recording
//                               decodes a connection to Redis that it finds open from a pause of 10 ms on), or why one was not answered
const http = require('http');

const CONCURRENT = 20;
const backend = http.createServer((request, response) => {
  request.resume();
  setTimeout(() => response.end('x'.repeat(100)), 10);
});

const ask = (agent, port, path) =>
  new Promise((done, failed) => {
    http.get({ host: '127.0.0.1', port, path, agent }, answer => {
      let text = '';
      answer.on('data', piece => (text += piece)).on('end', () => (answer.statusCode === 200 ? done() : failed(new Error(`${path}: ${text}`))));
    }).on('error', failed);
  });

async function askAll(port, client, first, count) {
  // Kept for these requests only: a server closes a connection that is idle for some seconds, at worst while a request is on its way.
  const agent = new http.Agent({ keepAlive: true, maxSockets: CONCURRENT });
  let next = first;
  const one = async () => {
    while (next < first + count) await ask(agent, port, `/${client}/${next++}`);
  };
  await Promise.all(Array.from({ length: CONCURRENT }, one)).finally(() => agent.destroy());
  await new Promise(done => setTimeout(done, 30));
}

backend.listen(0, '127.0.0.1', () => console.log(backend.address().port));
require('readline').createInterface(process.stdin).on('line', line => {
  const [port, client, first, count] = line.split(' ');
  askAll(port, client, Number(first), Number(count)).then(() => console.log('done'), failed => console.log(String(failed).replace(/\s+/g, ' ')));
}).on('close', () => process.exit());
