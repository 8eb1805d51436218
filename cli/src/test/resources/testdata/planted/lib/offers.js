'use strict';
const dns = require('dns');
const truth = require('../truth');
const { ask } = require('./backend');

const HOST = 'offers.nowhere.test';
const resolver = new dns.promises.Resolver();
if (process.env.PLANTED_DNS) resolver.setServers([process.env.PLANTED_DNS]);

// The planted cause: a name that the name server does not know.
async function fetchOffers() {
  truth.count('lookups', HOST);
  const [address] = await resolver.resolve4(HOST);
  return ask(false, '/offers', address);
}

module.exports = { fetchOffers };
