'use strict';
// A server whose requests (GET /WAY?n=NUMBER&backend=PORT) touch files named WAY-NUMBER-STEP in one way of going on after another, so that
// the name of a file shows whose it is. Answers each line of its standard input with one line:
//   ports URLS   the ports it listens at, HTTP/1 and, behind a comma, HTTP/2; URLS: {postgres, mysql, redis} as JSON, those that are there
const fs = require('fs');
const http = require('http');
const http2 = require('http2');
const path = require('path');
const { AsyncResource } = require('async_hooks');
const { EventEmitter } = require('events');

const existing = path.join(__dirname, 'app.js');
const read = name => fs.promises.readFile(path.join(__dirname, name)).catch(() => {});
const readThen = (name, done) => fs.readFile(path.join(__dirname, name), () => done());
const sleep = ms => new Promise(done => setTimeout(done, ms));
const once = make => {
  let made;
  return () => made || (made = make());
};

const waitingForPermits = [];
let permits = 4;
const acquire = () => (permits > 0 ? Promise.resolve(permits--) : new Promise(done => waitingForPermits.push(done)));
const release = () => {
  const next = waitingForPermits.shift();
  if (next) next();
  else permits++;
};
const sleepAndRead = async name => {
  await sleep(1);
  await read(name);
};
const queue = [];
let isServing = false;
const serveInTurn = async (name, done) => {
  queue.push([name, done]);
  if (isServing) return;
  isServing = true;
  for (let next = queue.shift(); next; next = queue.shift()) {
    await sleepAndRead(`${next[0]}-1`);
    next[1]();
  }
  isServing = false;
};

let urls = {};
const limit = once(() => require('p-limit')(4));
const workers = once(() => new (require('piscina').Piscina || require('piscina'))({ filename: path.join(__dirname, 'worker.js'), maxThreads: 2 }));
// Of some pools each request of a batch has a connection, for those of the others most wait. Connections that were made are kept.
const postgres = once(() => new (require('pg').Pool)({ connectionString: urls.postgres, max: 20, idleTimeoutMillis: 0 }));
const fewPostgres = once(() => new (require('pg').Pool)({ connectionString: urls.postgres, max: 4, idleTimeoutMillis: 0 }));
const mysql = once(() => require('mysql2').createPool({ uri: urls.mysql, connectionLimit: 20 }));
const fewMysql = once(() => require('mysql2').createPool({ uri: urls.mysql, connectionLimit: 4 }));
const redis = once(() => new (require('ioredis'))(urls.redis));
const pipelinedRedis = once(() => new (require('ioredis'))(urls.redis, { enableAutoPipelining: true }));
const agent = new http.Agent({ keepAlive: true, maxSockets: 4 });

const get = (backend, name, options, done) =>
  http.get({ host: '127.0.0.1', port: backend, path: `/${name}`, ...options }, answer => answer.resume().on('end', done));

const waiting = [];
const gathered = () =>
  new Promise(goOn => {
    if (waiting.push(goOn) === 20) waiting.splice(0).forEach(each => each());
  });

const ways = {
  callbacks(name, done) {
    readThen(`${name}-1`, () => readThen(`${name}-2`, () => readThen(`${name}-3`, done)));
  },
  async awaits(name) {
    for (const step of [1, 2, 3]) await read(`${name}-${step}`);
  },
  async all(name) {
    await Promise.all([1, 2, 3].map(step => read(`${name}-${step}`)));
    await read(`${name}-4`);
  },
  timers(name, done) {
    setTimeout(() => readThen(`${name}-1`, () => setTimeout(() => setTimeout(() => readThen(`${name}-2`, done), 2), 1)), 3);
  },
  async sleeps(name) {
    for (const step of [1, 2]) {
      await sleep(2);
      await read(`${name}-${step}`);
    }
  },
  immediates(name, done) {
    setImmediate(() => readThen(`${name}-1`, () => setImmediate(() => setImmediate(() => readThen(`${name}-2`, done)))));
  },
  ticks(name, done) {
    process.nextTick(() => readThen(`${name}-1`, () => queueMicrotask(() => readThen(`${name}-2`, done))));
  },
  emitters(name, done) {
    const emitter = new EventEmitter().on('go', () => readThen(`${name}-1`, () => emitter.emit('end'))).on('end', () => readThen(`${name}-2`, done));
    setTimeout(() => emitter.emit('go'), 1);
  },
  streams(name, done) {
    fs.createReadStream(existing).on('data', () => {}).on('close', () => readThen(`${name}-1`, done));
  },
  async limit(name) {
    await limit()(AsyncResource.bind(async () => {
      await read(`${name}-1`);
      await read(`${name}-2`);
    }));
    await read(`${name}-3`);
  },
  // Here a request goes on from what another one does: it releases the permit, frees the place, or serves the queue.
  async permits(name) {
    await acquire();
    await sleep(1);
    await read(`${name}-1`);
    release();
    await sleep(1);
    await read(`${name}-2`);
  },
  async bound(name) {
    await limit()(AsyncResource.bind(async () => {
      await sleep(1);
      await read(`${name}-1`);
    }));
    await limit()(AsyncResource.bind(() => sleepAndRead(`${name}-2`)));
    await sleep(1);
    await read(`${name}-3`);
  },
  async gathering(name) {
    await gathered();
    await read(`${name}-1`);
  },
  async served(name) {
    await new Promise(done => serveInTurn(name, done));
    await read(`${name}-2`);
  },
  async workers(name) {
    await workers().run(1);
    await read(`${name}-1`);
  },
  async postgres(name) {
    await postgres().query(`SELECT '${name}'`);
    await read(`${name}-1`);
    await postgres().query('SELECT $1::text', [name]);
    await read(`${name}-2`);
  },
  postgrescallbacks(name, done) {
    postgres().query(`SELECT '${name}'`, () => readThen(`${name}-1`, () => postgres().query(`SELECT '${name}'`, () => readThen(`${name}-2`, done))));
  },
  async mysql(name) {
    await mysql().promise().query(`SELECT '${name}'`);
    await read(`${name}-1`);
    await mysql().promise().execute('SELECT ?', [name]);
    await read(`${name}-2`);
  },
  async waiting(name) {
    await fewPostgres().query(`SELECT '${name}'`);
    await read(`${name}-1`);
    await fewMysql().promise().query(`SELECT '${name}'`);
    await read(`${name}-2`);
  },
  async redis(name) {
    await redis().set(name, 1);
    await read(`${name}-1`);
    await redis().get(name);
    await read(`${name}-2`);
  },
  // The client sends at once what several requests asked it for, from an immediate of the first.
  async pipelined(name) {
    await pipelinedRedis().set(name, 1);
    await pipelinedRedis().get(name);
  },
  agent(name, done, backend) {
    get(backend, name, { agent }, () => readThen(`${name}-1`, done));
  },
  async multiplexed(name) {
    await read(`${name}-1`);
    await new Promise(done => setTimeout(() => readThen(`${name}-2`, done), 1));
    await Promise.all([read(`${name}-3`), new Promise(done => setImmediate(() => readThen(`${name}-4`, done)))]);
  },
  // Goes on in the microtasks of the last request's callback: only what V8 carries shows whose it is.
  async multiplexedgathering(name) {
    await gathered();
    await read(`${name}-1`);
  },
  async fetch(name, _, backend) {
    await (await fetch(`http://127.0.0.1:${backend}/${name}`)).text();
    await read(`${name}-1`);
  },
};

const serve = (request, response) => {
  const url = new URL(request.url, 'http://localhost');
  const way = url.pathname.slice(1);
  const name = `${way}-${url.searchParams.get('n')}`;
  const done = () => response.end(name);
  fs.stat(path.join(__dirname, `${name}-0`), () => {});
  const going = ways[way](name, done, url.searchParams.get('backend'));
  if (going) going.then(done, failed => response.writeHead(500).end(String(failed.stack)));
};

// Connections stay while the recorder starts.
const servers = [http.createServer({ keepAliveTimeout: 0 }, serve), http2.createServer(serve)];
Promise.all(servers.map(server => new Promise(done => server.listen(0, '127.0.0.1', done)))).then(() => console.log('ready'));
require('readline').createInterface(process.stdin).on('line', line => {
  const [, given] = line.split(/ (.*)/);
  urls = JSON.parse(given || '{}');
  console.log(servers.map(server => server.address().port).join(','));
}).on('close', () => process.exit());
