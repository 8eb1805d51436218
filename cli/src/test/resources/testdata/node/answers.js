'use strict';
// Serves answers and asks for them itself, with sockets of its own, so that it decides how a connection goes on after an answer.
// node answers.js KEY CERT. Answers each line on standard input with a line of JSON.
const fs = require('fs');
const dns = require('dns');
const http = require('http');
const http2 = require('http2');
const https = require('https');
const net = require('net');
const readline = require('readline');
const tls = require('tls');

const now = () => Number(process.hrtime.bigint()); // CLOCK_MONOTONIC, below 2^53 for 104 days
const sleep = ms => new Promise(resolve => setTimeout(resolve, ms));

const answers = {
  '/whole': (request, response) => response.end('ok'),
  '/two': (request, response) => {
    response.writeHead(200, { 'content-length': 2 });
    response.flushHeaders();
    setTimeout(() => response.end('ok'), 5);
  },
  '/chunks': (request, response) => {
    response.write('first');
    setTimeout(() => response.end('last'), 5);
  },
  '/big': (request, response) => response.end(Buffer.alloc(3_000_000, 'x')),
  '/cut': (request, response) => {
    response.writeHead(200, { 'content-length': 1000 });
    response.write('x'.repeat(100));
    setTimeout(() => request.socket.destroy(), 20);
  },
  '/events': (request, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.write('data: 1\n\n');
  },
};
/** As gRPC answers: the status in the trailers behind a body, or in the headers. */
const remote = http2.createServer().on('stream', (stream, headers) => {
  const [, code, where] = headers[':path'].split('/');
  const status = { 'grpc-status': code, 'grpc-message': 'why' };
  const answer = { ':status': 200, 'content-type': 'application/grpc' };
  if (where === 'headers') {
    stream.respond({ ...answer, ...status }, { endStream: true });
  } else {
    stream.respond(answer, { waitForTrailers: true });
    stream.on('wantTrailers', () => stream.sendTrailers(code === 'none' ? { other: 'x' } : status));
    stream.end('message');
  }
});
const serve = (request, response) => answers[request.url.replace(/\?.*/, '')](request, response);
const plain = http.createServer(serve);
const secure = https.createServer({ key: fs.readFileSync(process.argv[2]), cert: fs.readFileSync(process.argv[3]) }, serve);
const get = url => `GET ${url} HTTP/1.1\r\nHost: x\r\n\r\n`;

/** Writes, reads until `isRead` is content, keeps the connection for a while, and closes it; when it began to close it, in ns. */
function talk(port, options, text, isRead) {
  return new Promise((resolve, reject) => {
    const connection = options
      ? tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false, ...options }, () => connection.write(text))
      : net.connect(port, '127.0.0.1', () => connection.write(text));
    let read = '';
    let closingNs = 0;
    connection.on('data', async data => {
      read += data.toString('latin1');
      if (closingNs === 0 && isRead(read)) {
        closingNs = -1;
        await sleep(30);
        closingNs = now();
        connection.end();
      }
    });
    connection.on('error', reject);
    connection.on('close', () => resolve(closingNs));
  });
}

const body = read => read.slice(read.indexOf('\r\n\r\n') + 4);
const isWhole = {
  '/whole': read => body(read) === 'ok',
  '/two': read => body(read) === 'ok',
  '/chunks': read => read.endsWith('\r\n0\r\n\r\n'),
  '/big': read => body(read).length === 3_000_000,
};

const commands = {
  /** Answers on connections that the client keeps; closed: by URL, when it closed them. */
  async kept() {
    const closed = {};
    for (const [name, port, options] of [
      ['plain', plain.address().port, null],
      ['tls12', secure.address().port, { maxVersion: 'TLSv1.2' }],
      ['tls13', secure.address().port, { minVersion: 'TLSv1.3' }],
    ]) {
      for (const [url, isRead] of Object.entries(isWhole)) {
        closed[`${url}?on=${name}`] = await talk(port, options, get(`${url}?on=${name}`), isRead);
      }
    }
    return { closed };
  },
  /** Answers that do not come to their end. */
  async cut() {
    for (const [port, options] of [[plain.address().port, null], [secure.address().port, {}]]) {
      await talk(port, options, get('/cut'), () => false);
      await talk(port, options, get('/events'), read => read.includes('data: 1'));
    }
    return {};
  },
  /** What Node answers by itself. */
  async refused() {
    const port = plain.address().port;
    await talk(port, null, 'NONSENSE\r\n\r\n', () => false);
    await talk(port, null, `GET / HTTP/1.1\r\nHost: x\r\nX: ${'y'.repeat(40_000)}\r\n\r\n`, () => false).catch(() => {});
    await talk(port, null, get('/whole'), read => read.endsWith('ok'));
    return {};
  },
  async grpc() {
    await new Promise(resolve => remote.listen(0, '127.0.0.1', resolve));
    const session = http2.connect(`http://127.0.0.1:${remote.address().port}`);
    for (const path of ['/0/trailers', '/5/trailers', '/13/headers', '/none/trailers']) {
      const request = session.request({ ':method': 'POST', ':path': path });
      request.end('x');
      await new Promise(resolve => request.resume().on('close', resolve));
    }
    session.close();
    return {};
  },
  /** Names that there are not: .invalid (RFC 6761). The errors as the application got them. */
  async names() {
    const errors = [];
    await new Promise(resolve => dns.lookup('lookup.invalid', error => resolve(errors.push(`lookup ${error.code}`))));
    await new Promise(resolve => http.get('http://get.invalid/').on('error', error => resolve(errors.push(`lookup ${error.code}`))));
    const resolver = new dns.Resolver({ timeout: 500, tries: 1 });
    resolver.setServers(['127.0.0.1:9']); // discard: nothing answers there
    await new Promise(resolve => resolver.resolve4('query.invalid', error => resolve(errors.push(`resolve ${error.code}`))));
    await new Promise(resolve => dns.lookup('localhost', resolve));
    return { errors };
  },
};

plain.listen(0, '127.0.0.1', () => secure.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: plain.address().port }));
  readline.createInterface({ input: process.stdin })
    .on('line', async line => console.log(JSON.stringify(await commands[line]())))
    .on('close', () => process.exit());
}));
