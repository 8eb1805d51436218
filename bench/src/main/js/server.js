'use strict';
// The target of the benchmark "impact": an HTTP server on loopback. Prints its port, answers GET /hello with a constant and
// GET /files with what it finds out about three files, and ends with its input. An empty line asks for the CPU time of all
// its threads so far, in us.
const fs = require('fs');
const http = require('http');
const path = require('path');

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

const server = http.createServer((request, response) => {
  if (request.url === '/files') {
    readAll().then((size) => answer(response, `${size} bytes`));
  } else {
    answer(response, 'Hello, world');
  }
});
server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));

process.stdin.on('data', () => {
  const used = process.cpuUsage();
  process.stdout.write(`${used.user + used.system}\n`);
}).on('end', () => process.exit(0));
