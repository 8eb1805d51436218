'use strict';
// Servers and clients of HTTP/1 and HTTP/2, plain and with TLS, in one process, names that c-ares resolves, and connects that fail. Arguments: a key and its certificate, and a
// port whose listener accepts nothing and has no room left for but one connection more. Each line of standard input has all of it done once; the
// answer is JSON: what the application saw of each request, "SIDE protocol operation status error outcome" (0: no status; -: no error).
const dgram = require('dgram');
const dns = require('dns');
const fs = require('fs');
const http = require('http');
const http2 = require('http2');
const https = require('https');
const net = require('net');
const path = require('path');

process.env.NODE_TLS_REJECT_UNAUTHORIZED = '0';
process.removeAllListeners('warning');
const [keyPath, certPath, fullPort] = process.argv.slice(2);
const tls = { key: fs.readFileSync(keyPath), cert: fs.readFileSync(certPath) };
const { NGHTTP2_REFUSED_STREAM, NGHTTP2_CANCEL } = http2.constants;
const codes = { [NGHTTP2_REFUSED_STREAM]: 'REFUSED_STREAM', [NGHTTP2_CANCEL]: 'CANCEL' };

let seen = [];
const streams = new Set();
const saw = (side, protocol, operation, status, error, outcome) =>
  seen.push([side, protocol, operation, status, error, outcome].join(' '));
const operation = (method, url) => method + ' ' + url.split('?')[0];

/** /404?x answers 404, with two pieces of a body if it has one, behind a 103 if its path ends with "hints". */
function answerHttp1(request, response) {
  const status = Number(request.url.match(/\d+/)[0]);
  request.resume().on('end', () => {
    if (request.url.endsWith('hints')) response.writeEarlyHints({ link: '</style.css>; rel=preload' });
    response.writeHead(status);
    if (status !== 204) response.write('HTTP/1.1 ');
    response.end(status === 204 ? undefined : '299 not a status', () =>
      saw('SERVER', 'http', operation(request.method, request.url), status, '-', 'COMPLETE'),
    );
  });
}

function answerHttp2(stream, headers) {
  const wanted = headers[':path'];
  let status = 0;
  streams.add(stream);
  stream.on('error', () => {});
  stream.on('close', () => {
    const code = codes[stream.rstCode] ?? '-';
    saw('SERVER', 'http2', operation(headers[':method'], wanted), status, code, code === '-' ? 'COMPLETE' : 'ABORTED');
    streams.delete(stream);
    if (streams.size === 0) servers.forEach((server) => server.emit('idle'));
  });
  if (wanted === '/refused') return stream.close(NGHTTP2_REFUSED_STREAM);
  if (wanted === '/silent') return;
  stream.resume().on('end', () => {
    if (wanted.endsWith('hints')) stream.additionalHeaders({ ':status': 103, link: '</style.css>; rel=preload' });
    status = Number(wanted.match(/\d+/)[0]);
    stream.respond({ 'content-type': 'text/plain', ':status': status });
    stream.end(wanted);
  });
}

function askHttp2(session, headers, body, cancels) {
  return new Promise((done) => {
    const stream = session.request(headers);
    let status = 0;
    stream.on('response', (answer) => (status = answer[':status']));
    stream.on('error', () => {});
    stream.on('close', () => {
      const code = codes[stream.rstCode] ?? '-';
      const asked = operation(headers[':method'] ?? 'GET', headers[':path']);
      saw('CLIENT', 'http2', asked, status, code, code === '-' ? 'COMPLETE' : 'ABORTED');
      done();
    });
    stream.resume().end(body);
    if (cancels) session.ping(() => stream.close(NGHTTP2_CANCEL)); // the server has the stream by then
  });
}

async function overHttp2(origin) {
  const session = http2.connect(origin);
  await Promise.all([
    askHttp2(session, { ':path': '/200?token=secret' }),
    askHttp2(session, { ':path': '/404', ':method': 'HEAD' }),
    askHttp2(session, { ':method': 'POST', ':path': '/201' }, 'x'.repeat(50000)),
    askHttp2(session, { ':path': '/refused' }),
    askHttp2(session, { ':path': '/silent' }, undefined, true),
    askHttp2(session, { ':path': '/203hints' }),
  ]);
  if (streams.size > 0) await new Promise((idle) => servers[0].once('idle', idle));
  await new Promise((closed) => session.close(closed));
}

async function fetches(origin) {
  const ask = async (url, options) => {
    const answer = await fetch(origin + url, options);
    await answer.text();
    saw('CLIENT', 'http', operation(options?.method ?? 'GET', url), answer.status, '-', 'COMPLETE');
  };
  await ask('/200?token=secret');
  await ask('/404');
  await ask('/204');
  await ask('/201', { method: 'POST', body: 'x'.repeat(50000) });
  await Promise.all(['/200', '/503', '/202hints'].map((url) => ask(url)));
}

async function undici(origin) {
  if (!process.env.NODE_PATH) return;
  const { Client } = require('undici');
  const client = new Client(origin, { connect: { rejectUnauthorized: false } });
  for (const url of ['/200', '/410', '/206hints']) {
    const answer = await client.request({ method: 'GET', path: url });
    await answer.body.text();
    saw('CLIENT', 'http', operation('GET', url), answer.statusCode, '-', 'COMPLETE');
  }
  await client.close();
}

const get = (port, url, where = { host: '127.0.0.1' }) =>
  new Promise((done, failed) =>
    http
      .get({ ...where, port, path: url }, (response) =>
        response.resume().on('end', () => {
          saw('CLIENT', 'http', operation('GET', url), response.statusCode, '-', 'COMPLETE');
          done();
        }),
      )
      .on('error', failed),
  );

/** A name server (RFC 1035) of the alias of every name: it has 127.0.0.1 and ::1. Of alias.test there is nothing else. */
function answerName(query, from) {
  let end = 12;
  while (query[end] !== 0) end += query[end] + 1;
  end += 5;
  const asked = query.readUInt16BE(end - 4);
  const records = [[0xc0, 12, 0, 5, 0, 1, 0, 0, 0, 0, 0, 12, 5, ...Buffer.from('alias'), 4, ...Buffer.from('test'), 0]];
  if (asked === 1 || asked === 255) records.push([0xc0, end + 12, 0, 1, 0, 1, 0, 0, 0, 0, 0, 4, 127, 0, 0, 1]);
  if (asked === 28 || asked === 255) records.push([0xc0, end + 12, 0, 28, 0, 1, 0, 0, 0, 0, 0, 16, ...Buffer.alloc(15), 1]);
  const answer = Buffer.concat([query.subarray(0, end), ...records.map((record) => Buffer.from(record))]);
  answer.writeUInt16BE(0x8180, 2); // a response, recursion desired and available, no error
  answer.writeUInt16BE(records.length, 6);
  answer.writeUInt32BE(0, 8);
  names.send(answer, from.port, from.address);
}

/** Each path names the host that it is asked of: by a lookup of the application's own, and by the address itself. */
async function resolved(port, port6) {
  const resolver = new dns.promises.Resolver();
  resolver.setServers(['127.0.0.1:' + names.address().port]);
  const lookup = (host, options, found) =>
    resolver
      .resolve4(host)
      .then((all) => (options.all ? found(null, [{ address: all[0], family: 4 }]) : found(null, all[0], 4)), found);
  await get(port, '/200four.test', { host: 'four.test', lookup, agent: false });
  const [address] = await resolver.resolve6('six.test');
  await get(port6, '/200six.test', { host: address, agent: false });
  const any = await resolver.resolveAny('any.test');
  await get(port6, '/200any.test', { host: any.find(({ type }) => type === 'AAAA').address, agent: false });
}

const refused = (connecting, protocol) =>
  new Promise((done) =>
    connecting.on('error', (error) => {
      saw('CLIENT', protocol, 'connect', 0, error.code, 'ABORTED');
      done();
    }),
  );

const connected = (socket) => new Promise((done) => socket.on('connect', () => done(socket)));

async function failures() {
  const closed = net.createServer();
  await new Promise((listens) => closed.listen(0, '127.0.0.1', listens));
  const port = closed.address().port;
  await new Promise((done) => closed.close(done));
  await refused(net.connect(port, '127.0.0.1'), 'tcp');
  await refused(http.get({ host: '127.0.0.1', port, path: '/never' }), 'tcp');
  await fetch('http://127.0.0.1:' + port + '/never').catch((error) =>
    saw('CLIENT', 'tcp', 'connect', 0, error.cause.code, 'ABORTED'),
  );
  await refused(net.connect(path.join(__dirname, 'none.sock')), 'unix');
  await connected(net.connect(fullPort, '127.0.0.1'));
  const given = net.connect(fullPort, '127.0.0.1');
  await new Promise((waits) => setImmediate(waits));
  given.destroy();
  saw('CLIENT', 'tcp', 'connect', 0, 'ECANCELED', 'ABORTED');
  net.connect(fullPort, '127.0.0.1');
  saw('CLIENT', 'tcp', 'connect', 0, '-', 'OPEN');
}

const servers = [
  http2.createServer().on('stream', answerHttp2),
  http2.createSecureServer(tls).on('stream', answerHttp2),
  http.createServer(answerHttp1),
  https.createServer(tls, answerHttp1),
];
const http6 = http.createServer(answerHttp1);
const names = dgram.createSocket('udp4').on('message', answerName);
const listening = servers.map((server) => new Promise((listens) => server.listen(0, '127.0.0.1', listens)));

listening.push(
  new Promise((listens) => http6.listen(0, '::1', listens)),
  new Promise((listens) => names.bind(0, '127.0.0.1', listens)),
);

Promise.all(listening).then(() => {
  const [plain2, secure2, plain1, secure1] = servers.map((server) => server.address().port);
  console.log('ready');
  require('readline')
    .createInterface({ input: process.stdin })
    .on('line', async () => {
      seen = [];
      await overHttp2('http://127.0.0.1:' + plain2);
      await overHttp2('https://127.0.0.1:' + secure2);
      await fetches('http://127.0.0.1:' + plain1);
      await fetches('https://127.0.0.1:' + secure1);
      await undici('http://127.0.0.1:' + plain1);
      await undici('https://127.0.0.1:' + secure1);
      await get(plain1, '/200');
      await resolved(plain1, http6.address().port);
      await failures();
      console.log(JSON.stringify(seen));
    })
    .on('close', () => process.exit());
});
