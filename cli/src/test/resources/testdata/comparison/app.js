'use strict';
// A server that asks a dependency (its port is DEPENDENCY) for each order and computes a little; says where it listens.
const http = require('http');

const agent = new http.Agent({ keepAlive: true });
const port = Number(process.env.DEPENDENCY);

function ask(path) {
  return new Promise((done, failed) => {
    http
      .get({ host: '127.0.0.1', port, path, agent }, (response) => response.resume().on('end', done))
      .on('error', failed);
  });
}

function price(id) {
  let sum = id;
  for (let i = 0; i < 200000; i++) sum = (sum * 31 + i) % 1000003;
  return sum;
}

async function serve(request, response) {
  const id = Number(request.url.split('/')[2] || 0);
  if (request.url.startsWith('/orders/')) await ask(`/stock/${id}`);
  response.end(JSON.stringify({ price: price(id) }));
}

const server = http.createServer(serve);
server.keepAliveTimeout = 60000;
server.listen(0, '127.0.0.1', () => console.log(JSON.stringify({ port: server.address().port })));
process.stdin.resume().on('end', () => process.exit(0));
