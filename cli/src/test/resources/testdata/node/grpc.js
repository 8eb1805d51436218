'use strict';
// Serves gRPC and calls it (@grpc/grpc-js), and a server of HTTP/2 that ends calls as others do: node grpc.js. Answers each line on
// standard input with a line of JSON.
const http2 = require('http2');
const readline = require('readline');
const grpc = require('@grpc/grpc-js');

const asIs = { requestSerialize: x => x, requestDeserialize: x => x, responseSerialize: x => x, responseDeserialize: x => x };
const service = {};
const implementation = {};
function serve(name, responseStream, handle) {
  service[name] = { path: `/shop.Cart/${name}`, requestStream: false, responseStream, ...asIs };
  implementation[name] = handle;
}
for (let code = 0; code <= 16; code++) {
  /** An error has no body, so its status is in the only headers. */
  serve(`Get${code}`, false, (call, answer) => (code === 0 ? answer(null, Buffer.from('yes')) : answer({ code, details: 'why' })));
  /** The status is in the trailers, also that of an error. */
  serve(`List${code}`, true, call => {
    call.write(Buffer.from('first'));
    call.write(Buffer.from('second'));
    const metadata = new grpc.Metadata();
    for (let i = 0; i < 20; i++) metadata.set(`x-${i}`, 'y'.repeat(i));
    if (code === 0) call.end(metadata);
    else call.emit('error', { code, details: 'why', metadata });
  });
}
serve('Hang', false, () => {});
serve('HangBehindMessage', true, call => call.write(Buffer.from('first')));

/** What a call may be answered with beside what grpc-js does, by its path. */
const others = {
  /** The last of many trailers. */
  '/other/last': stream => trailers(stream, { ...Object.fromEntries([...Array(20).keys()].map(i => [`x-${i}`, 'y'])), 'grpc-status': '7' }),
  '/other/none': stream => trailers(stream, { x: 'y' }),
  '/other/twice': stream => trailers(stream, { 'grpc-status': ['0', '5'] }),
  '/other/text': stream => trailers(stream, { 'grpc-status': 'secret' }),
  /** Not in trailers, so it is none. */
  '/other/headers': stream => {
    stream.respond({ ':status': 200, 'content-type': 'application/grpc', 'grpc-status': '5' });
    stream.end('message');
  },
  '/other/early': stream => {
    stream.additionalHeaders({ ':status': 103, link: 'x' });
    stream.respond({ ':status': 200, 'grpc-status': '16' }, { endStream: true });
  },
};
function trailers(stream, headers) {
  stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
  stream.on('wantTrailers', () => stream.sendTrailers(headers));
  stream.end('message');
}

const server = new grpc.Server();
server.addService(service, implementation);
const plain = http2.createServer().on('stream', (stream, headers) => others[headers[':path']](stream));
let client;
let session;

/** The code with which the call ends, as the application gets it. */
function call(name, options = {}, during = () => {}) {
  return new Promise(resolve => {
    const argument = Buffer.from('x');
    const isStream = service[name].responseStream;
    const running = isStream ? client[name](argument, options) : client[name](argument, options, () => {});
    running.on('error', () => {});
    running.on('data', () => during(running));
    running.on('status', status => resolve(status.code));
    if (!isStream) during(running);
  });
}
function other(path) {
  return new Promise(resolve => {
    const stream = session.request({ ':method': 'POST', ':path': path });
    stream.on('error', () => {});
    stream.resume().on('close', resolve);
    stream.end('x');
  });
}

const commands = {
  /** Opens the connections. */
  async open() {
    await call('Get0');
    await other('/other/none');
    return {};
  },
  /** Calls whose server gives a status, one after the other; the codes that the application got. */
  async calls() {
    const codes = [];
    for (const name of ['Get', 'List']) {
      for (const code of [0, 5, 13]) codes.push(await call(name + code));
    }
    return codes;
  },
  /** Several on one connection at once. */
  async together() {
    return Promise.all([...Array(34).keys()].map(i => call((i % 2 === 0 ? 'Get' : 'List') + (i >> 1))));
  },
  /** Calls that end without a status of the server's: the client cancels them, or their time is over. */
  async unanswered() {
    return [
      await call('Hang', {}, running => setTimeout(() => running.cancel(), 50)),
      await call('HangBehindMessage', {}, running => running.cancel()),
      await call('Hang', { deadline: Date.now() + 100 }),
    ];
  },
  async others() {
    for (const path of Object.keys(others)) await other(path);
    return {};
  },
};

server.bindAsync('127.0.0.1:0', grpc.ServerCredentials.createInsecure(), (failure, port) => {
  if (failure) throw failure;
  plain.listen(0, '127.0.0.1', () => {
    client = new (grpc.makeGenericClientConstructor(service))(`127.0.0.1:${port}`, grpc.credentials.createInsecure());
    session = http2.connect(`http://127.0.0.1:${plain.address().port}`);
    console.log(JSON.stringify({ port }));
    readline.createInterface({ input: process.stdin })
      .on('line', async line => console.log(JSON.stringify(await commands[line]())))
      .on('close', () => process.exit());
  });
});
