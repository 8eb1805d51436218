'use strict';
// An HTTP server with one thing wrong: node server.js APP serves apps/APP.js on loopback. Says a line when it listens; answers
// "truth" on its standard input with a line of JSON, its own log of what it did; ends with its standard input.
// PLANTED_BACKEND is the port of client.js's backend, PLANTED_DNS the address of its name server.
const http = require('http');
const truth = require('./truth');

const app = require(`./apps/${process.argv[2]}`);

async function serve(request, response) {
  const [path, id] = request.url.split(/(?<=[a-z]\/)(?=\d+$)/);
  const route = app.routes[path];
  truth.count('requests', `${request.method} ${request.url}`);
  if (!route) {
    response.writeHead(404).end();
    return;
  }
  try {
    const body = await route(id);
    response.setHeader('Content-Type', 'application/json');
    response.end(JSON.stringify(body));
  } catch (error) {
    truth.count('failures', String(error.code || error.message));
    response.writeHead(500).end();
  }
}

function answer(line) {
  if (line === 'truth') console.log(JSON.stringify(truth.all()));
}

async function main() {
  if (app.prepare) await app.prepare();
  const server = http.createServer(serve);
  server.keepAliveTimeout = 60000;
  await new Promise((done) => server.listen(0, '127.0.0.1', done));
  require('readline')
    .createInterface({ input: process.stdin })
    .on('line', answer)
    .on('close', () => process.exit(0));
  console.log(JSON.stringify({ port: server.address().port }));
}
main();
