'use strict';
const { once } = require('events');
const http = require('http');
const truth = require('../truth');

const port = Number(process.env.PLANTED_BACKEND);

// The planted cause: an agent for each request keeps a connection that nobody uses again.
async function fetchPrice() {
  truth.count('connections', `127.0.0.1:${port}`);
  const agent = new http.Agent({ keepAlive: true });
  const request = http.get({ host: '127.0.0.1', port, path: '/price', agent });
  const [response] = await once(request, 'response');
  await once(response.resume(), 'end');
  return { price: 42 };
}

module.exports = { fetchPrice };
