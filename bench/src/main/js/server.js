'use strict';
// A target of the benchmark "impact": a server on loopback, of HTTP or, with a PKCS 12 file and its password as arguments, of
// HTTPS. Prints its port, answers GET /hello with a constant and GET /files with what it finds out about three files.
const fs = require('fs');
const http = require('http');
const https = require('https');
const path = require('path');
require('./cpu-time.js');

const files = ['a', 'b', 'c'].map((name) => path.join(__dirname, `${name}.txt`));
for (const file of files) {
  fs.writeFileSync(file, 'x'.repeat(1000));
}

async function readAll() {
  let size = 0;
  for (const file of files) {
    const stat = await fs.promises.stat(file);
    const text = await fs.promises.readFile(file);
    size += Math.min(stat.size, text.length);
  }
  return size;
}

function answer(response, text) {
  response.writeHead(200, { 'Content-Type': 'text/plain', 'Content-Length': text.length });
  response.end(text);
}

function answerRequest(request, response) {
  if (request.url === '/files') {
    readAll().then((size) => answer(response, `${size} bytes`));
  } else {
    answer(response, 'Hello, world');
  }
}

const [pfx, passphrase] = process.argv.slice(2);
const server = pfx
  ? https.createServer({ pfx: fs.readFileSync(pfx), passphrase }, answerRequest)
  : http.createServer(answerRequest);
server.keepAliveTimeout = 0; // idle connections stay open
server.headersTimeout = 0;
server.requestTimeout = 0;
server.listen(0, '127.0.0.1', 1024, () => process.stdout.write(`${server.address().port}\n`));
