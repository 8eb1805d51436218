'use strict';
// Goes out a lot, and nothing is wrong with it: connections for all, names that are looked up once, the same asked several times
// without a failure, a failure that is not tried again, and a timer that asks a peer which requests ask, too.
const dns = require('dns');
const http = require('http');
const { ask } = require('../lib/backend');
const { countLater } = require('../lib/counting');
const { makePipe, readEvents, writeEvents } = require('../lib/pipe');

const agent = new http.Agent({ keepAlive: true });
const resolver = new dns.promises.Resolver();
if (process.env.PLANTED_DNS) resolver.setServers([process.env.PLANTED_DNS]);

async function thrice() {
  for (let i = 0; i < 3; i++) await ask(agent, '/price');
}

// It may fail, and then does not matter.
async function optional() {
  return { is: (await ask(agent, '/flaky')).status === 200 };
}

let known;
async function named() {
  known = known || resolver.resolve4('rates.partner.test');
  return { address: (await known)[0] };
}

async function piped() {
  const events = readEvents();
  await writeEvents();
  return { events: (await events).length };
}

setInterval(() => ask(agent, '/price'), 200);

module.exports = {
  routes: {
    '/stock': () => ask(agent, '/stock'),
    '/weather': () => ask(agent, '/price', 'localhost'),
    '/basket': thrice,
    '/optional': optional,
    '/rates': named,
    '/events': piped,
    '/later': countLater,
  },
  prepare: async () => makePipe(),
};
