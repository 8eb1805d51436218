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

module.exports = { askBackend };
