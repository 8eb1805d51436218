'use strict';
// Serves articles with a framework and a client: server.js FRAMEWORK CLIENT URLS FOLDER; "server.js list" prints all
// applications as FRAMEWORK/CLIENT instead. URLS: {postgres, mysql, redis, backend} as JSON. Prints its port.
const applications = [
  'express4/pg', 'express5/mysql2', 'fastify/postgres.js', 'koa/ioredis', 'hapi/knex', 'nest/typeorm', 'hono/undici',
  'restify/axios', 'polka/files', 'apollo/node-redis',
];

async function start(framework, client, urls, folder) {
  const articles = await require('./clients.js')[client].open(urls, folder);
  return require('./frameworks.js')[framework].start(articles);
}

const [framework, client, urls, folder] = process.argv.slice(2);
if (framework === 'list') {
  console.log(applications.join(' '));
} else {
  start(framework, client, JSON.parse(urls), folder).then(console.log);
}
process.stdin.resume().on('end', () => process.exit());
