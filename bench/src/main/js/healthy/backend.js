'use strict';
// Serves articles {id, title, price} to applications that ask another server, each answer after 2 to 6 ms.
// Prints its port.
const http = require('http');

const made = id => ({ id, title: `Article ${id}`, price: id % 100 });

const server = http.createServer((request, response) => {
  const { pathname, searchParams } = new URL(request.url, 'http://127.0.0.1');
  const send = (status, value) => {
    const text = JSON.stringify(value);
    setTimeout(() => {
      response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
      response.end(text);
    }, 2 + Math.random() * 4);
  };
  if (request.method === 'POST') {
    let body = '';
    request.setEncoding('utf8').on('data', piece => (body += piece)).on('end', () => {
      send(201, { ...JSON.parse(body), id: 1001 });
    });
  } else if (searchParams.has('after')) {
    const after = Number(searchParams.get('after'));
    send(200, Array.from({ length: 20 }, (unused, i) => made(after + i + 1)));
  } else {
    send(200, made(Number(pathname.split('/')[2])));
  }
});
server.keepAliveTimeout = 120_000; // longer than its clients keep a connection
server.listen(0, '127.0.0.1', () => console.log(server.address().port));
process.stdin.resume().on('end', () => process.exit());
