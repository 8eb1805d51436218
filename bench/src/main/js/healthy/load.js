'use strict';
// Asks a server for articles at a rate that does not depend on the answers, after random pauses, by 8 connections that
// it keeps; a seed gives the same requests again: load.js FRAMEWORK PORT RATE SEED. Prints "ready" once it has begun.
// Answers each line FROM_NS TO_NS of its standard input (CLOCK_MONOTONIC) with SENT FAILED: how many requests it sent
// in that time, how many failed so far, and why the first one did.
const http = require('http');

const CONNECTIONS = 8;
const [framework, port, rate, seed] = process.argv.slice(2);
const agent = new http.Agent({ keepAlive: true, maxSockets: CONNECTIONS, scheduling: 'fifo' });
const sentNs = [];
let failed = 0;
let firstFailure = '';

let state = Number(seed);
/** Between 0 and 1, by the constants of C++'s minstd_rand. */
function random() {
  state = (state * 48271) % (2 ** 31 - 1);
  return state / (2 ** 31 - 1);
}

const number = () => 1 + Math.floor(random() * 900);
const article = () => ({ title: `New article ${number()}`, price: number() });
const get = path => ({ method: 'GET', path });
const post = (path, value) => ({ method: 'POST', path, body: JSON.stringify(value) });

const rest = {
  list: () => get(`/articles?after=${number()}`),
  find: () => get(`/articles/${number()}`),
  add: () => post('/articles', article()),
  health: () => get('/health'),
};

const query = (text, variables) => post('/', { query: text, variables });
const graphql = {
  list: () => query('query($after: Int!) { articles(after: $after) { id title price } }', { after: number() }),
  find: () => query('query($id: Int!) { article(id: $id) { id title price } }', { id: number() }),
  add: () => query('mutation($title: String!, $price: Int!) { add(title: $title, price: $price) { id } }', article()),
  health: () => query('{ health }'),
};

function ask({ method, path, body }) {
  const fail = why => {
    firstFailure = firstFailure || `${method} ${path}: ${why}`;
    failed++;
  };
  const headers = body ? { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(body) } : {};
  sentNs.push(process.hrtime.bigint());
  http.request({ host: '127.0.0.1', port, method, path, agent, headers }, answer => {
    let text = '';
    answer.setEncoding('utf8').on('data', piece => (text += piece)).on('end', () => {
      if (answer.statusCode > 201 || text.includes('"errors"')) fail(`${answer.statusCode} ${text}`);
    });
  }).on('error', fail).end(body);
}

function goOn() {
  const requests = framework === 'apollo' ? graphql : rest;
  const share = random();
  ask((share < 0.3 ? requests.list : share < 0.75 ? requests.find : share < 0.95 ? requests.add : requests.health)());
  setTimeout(goOn, (-1000 / rate) * Math.log(1 - random()));
}

goOn();
console.log('ready');
require('readline').createInterface(process.stdin)
  .on('line', line => {
    const [fromNs, toNs] = line.split(' ').map(BigInt);
    const sent = sentNs.filter(ns => ns >= fromNs && ns <= toNs).length;
    console.log(`${sent} ${failed} ${firstFailure.replace(/\s+/g, ' ')}`);
  })
  .on('close', () => process.exit());
