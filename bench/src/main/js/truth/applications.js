'use strict';
// Which framework serves with which client. Each framework has three or four clients, each client at least one framework; callbacks
// need a framework whose handlers take them. "since" is the first version of Node that a package supports.
const frameworks = require('./frameworks.js');
const clients = require('./clients.js');

const queues = [
  'p-limit', 'p-queue', 'async-mutex', 'bottleneck', 'fastq-promise', 'async-lock', 'generic-pool', 'dataloader', 'calling-pool', 'drained-list', 'p-limit-timer', 'slow-pool',
];
const queuesOfCallbacks = ['async-queue', 'fastq-callback', 'async-lock-callback', 'calling-pool-callback', 'fastq-timer', 'slow-pool-callback'];

const covering = {
  express4: ['pg', 'pg-callback', 'mysql2', 'axios', ...queues, ...queuesOfCallbacks],
  express5: ['pg-transaction', 'knex', 'ioredis', 'http-agent'],
  fastify: ['postgres.js', 'mysql2-transaction', 'ioredis-pipelining', 'undici', ...queues],
  koa: ['pg', 'mariadb', 'node-redis', 'got'],
  hapi: ['sequelize', 'ioredis-pipelining', 'files', 'http-agent'],
  nest: ['typeorm', 'mysql2', 'axios', 'node-redis'],
  hono: ['pg', 'knex', 'fetch', 'ioredis'],
};

/** FRAMEWORK/CLIENT of each, with "!VERSION" behind it if that is a later Node than this one. */
exports.all = () => {
  const version = Number(process.versions.node.split('.')[0]);
  return Object.entries(covering).flatMap(([framework, names]) =>
    names.map(client => {
      const since = Math.max(frameworks[framework].since || 0, clients[client].since || 0);
      return `${framework}/${client}${since > version ? `!${since}` : ''}`;
    }));
};
