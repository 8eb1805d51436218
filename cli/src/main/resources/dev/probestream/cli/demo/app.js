'use strict';
// The sample of 'probestream demo' and of the end-to-end tests: a plain http server whose handlers use the parts of
// Node.js that the presets show - file system, timers, immediates, worker pool, garbage. It has no dependencies, needs
// no name look-up, listens on loopback only, and ends when its standard input does or after five minutes.
//
// Usage: node app.js FOLDER      (a folder of its own, to be filled with its files)
// Prints "listening PORT", then nothing more until it ends. GET /counts answers what the handlers have asked the file
// system for so far; nothing else in this program opens files after it listens.

const crypto = require('crypto');
const fs = require('fs');
const http = require('http');
const path = require('path');

const folder = process.argv[2];
const file = (name) => path.join(folder, name);
const counts = { requests: 0, open: 0, stat: 0, scandir: 0, write: 0, failedOpen: 0 };

fs.writeFileSync(file('small.json'), JSON.stringify({ greeting: 'hello', items: Array.from({ length: 20 }, (_, i) => i) }));
fs.writeFileSync(file('large.txt'), 'All work and no play makes a dull trace.\n'.repeat(25000)); // 1 MB

const handlers = {
  // open, fstat, read, close, each on a thread of the worker pool.
  '/file': (done) => {
    counts.open++;
    fs.readFile(file('small.json'), 'utf8', (error, text) => done(error, text));
  },
  // The same on the loop's own thread, which stands still meanwhile.
  '/sync': (done) => {
    counts.open++;
    counts.stat++;
    fs.statSync(file('small.json'));
    done(null, fs.readFileSync(file('small.json'), 'utf8'));
  },
  '/stat': (done) => {
    counts.stat++;
    fs.stat(file('large.txt'), (error, found) => done(error, String(found && found.size)));
  },
  '/list': (done) => {
    counts.scandir++;
    fs.readdir(folder, (error, names) => done(error, String(names)));
  },
  '/large': (done) => {
    counts.open++;
    let length = 0;
    fs.createReadStream(file('large.txt'))
      .on('data', (chunk) => (length += chunk.length))
      .on('error', done)
      .on('close', () => done(null, String(length)));
  },
  '/log': (done) => {
    counts.open++;
    counts.write++;
    fs.appendFile(file('requests.log'), new Date().toISOString() + '\n', (error) => done(error, 'logged'));
  },
  '/missing': (done) => {
    counts.open++;
    counts.failedOpen++;
    fs.readFile(file('missing.txt'), (error) => done(null, error.code));
  },
  // Worker pool without a file.
  '/hash': (done) =>
    crypto.pbkdf2('secret', 'salt', 2000, 32, 'sha256', (error, key) => done(error, key.toString('hex'))),
  '/timer': (done) => setTimeout(done, 5, null, 'later'),
  '/immediate': (done) => setImmediate(done, null, 'soon'),
  // About 4 MB of short-lived objects: a scavenge every few requests.
  '/garbage': (done) => {
    const things = [];
    for (let i = 0; i < 20000; i++) things.push({ i, name: 'thing ' + i, near: [i - 1, i + 1] });
    done(null, String(things.filter((thing) => thing.near[1] % 7 === 0).length));
  },
  // A stall: the loop is busy for 20 ms and every other request waits.
  '/stall': (done) => {
    const end = process.hrtime.bigint() + 20000000n;
    while (process.hrtime.bigint() < end);
    done(null, 'stalled');
  },
  '/counts': (done) => {
    counts.requests--;
    done(null, JSON.stringify(counts));
  },
};

const server = http.createServer((request, response) => {
  counts.requests++;
  const handler = handlers[request.url];
  if (!handler) {
    response.writeHead(404).end();
    return;
  }
  handler((error, text) => {
    response.writeHead(error ? 500 : 200, { 'content-type': 'text/plain' });
    response.end(error ? String(error) : text);
  });
});

setInterval(() => {}, 20); // A heartbeat, so that an idle loop still turns.
setTimeout(() => process.exit(3), 5 * 60 * 1000);
process.stdin.on('end', () => process.exit(0)).resume();

server.keepAliveTimeout = 60000;
server.listen(0, '127.0.0.1', () => console.log('listening ' + server.address().port));
