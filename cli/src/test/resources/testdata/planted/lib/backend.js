'use strict';
const { once } = require('events');
const http = require('http');

const port = Number(process.env.PLANTED_BACKEND);

// Asks the backend by this agent, at this host, for a price.
async function askBackend(agent, host) {
  const request = http.get({ host, port, path: '/price', agent });
  const [response] = await once(request, 'response');
  await once(response.resume(), 'end');
  return { price: 42 };
}

// Asks the backend for a path: what it responds with.
async function ask(agent, path, host = '127.0.0.1', method = 'GET') {
  const request = http.request({ host, port, path, agent, method }).end();
  const [response] = await once(request, 'response');
  await once(response.resume(), 'end');
  return { status: response.statusCode };
}

module.exports = { askBackend, ask };
