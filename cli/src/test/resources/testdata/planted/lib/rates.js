'use strict';
const dns = require('dns');
const http = require('http');
const truth = require('../truth');
const { askBackend } = require('./backend');

const HOST = 'rates.partner.test';
const agent = new http.Agent({ keepAlive: true });
const resolver = new dns.promises.Resolver();
if (process.env.PLANTED_DNS) resolver.setServers([process.env.PLANTED_DNS]);

// The planted cause: the name is looked up for each request, and its server is slow. Here by c-ares.
async function fetchRates() {
  truth.count('lookups', HOST);
  const [address] = await resolver.resolve4(HOST);
  return askBackend(agent, address);
}

module.exports = { fetchRates };
