'use strict';
// A server with one fault for each way to die: GET /fault/NAME. GET /slow is answered never.
const http = require('node:http');
const faults = require('./lib/faults.js');

const server = http.createServer((request, response) => {
  if (request.url.startsWith('/slow')) {
    return;
  }
  const name = request.url.slice('/fault/'.length).split('?')[0];
  if (name in faults) {
    faults[name]();
  }
  if (name === '' || !(name in faults)) {
    response.end('ok');
  }
});

server.listen(0, '127.0.0.1', () => console.log(server.address().port));
