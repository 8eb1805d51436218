'use strict';
// Touches files whose names say in what context it does so. A line program: each line is answered when all is done.
//   ids               /ids-EXECUTION-TRIGGER in timers, immediates and callbacks, on this thread and in a worker
//   requests N        /request-NUMBER by N requests at a time, in the order in which they came to the server
//   traces FOLDER     /trace-TRACE-SPAN in spans of OpenTelemetry's SDK, which is in FOLDER
const { executionAsyncId, triggerAsyncId } = require('node:async_hooks');
const fs = require('node:fs');
const http = require('node:http');
const readline = require('node:readline');
const { setTimeout: sleep } = require('node:timers/promises');
const { Worker, isMainThread } = require('node:worker_threads');

const touch = (name) => fs.existsSync(`/${name}`);
const touchLater = (name) => new Promise((resolve) => fs.access(`/${name}`, resolve));

async function ids() {
  const look = () => touch(`ids-${executionAsyncId()}-${triggerAsyncId()}`);
  for (let i = 0; i < 5; i++) {
    await new Promise((resolve) => setTimeout(() => resolve(look()), 1));
    await new Promise((resolve) => setImmediate(() => resolve(look())));
    await new Promise((resolve) => fs.stat('/', () => resolve(look())));
    look();
  }
}

async function requests(count) {
  let came = 0;
  const server = http.createServer(async (request, response) => {
    const name = `request-${++came}`;
    touch(name);
    for (let i = 0; i < 3; i++) {
      await sleep(1);
      await Promise.all([touchLater(name), new Promise((resolve) => setImmediate(() => resolve(touch(name))))]);
      await new Promise((resolve) => process.nextTick(() => setTimeout(() => resolve(touch(name)), 1)));
    }
    response.end();
  });
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  const one = () =>
    new Promise((resolve, reject) => {
      const options = { port: server.address().port, host: '127.0.0.1', agent: false };
      http.get(options, (response) => response.resume().on('end', resolve)).on('error', reject);
    });
  await Promise.all(Array.from({ length: count }, one));
  server.close();
}

async function traces(folder) {
  const api = require(`${folder}/@opentelemetry/api`);
  const { NodeTracerProvider } = require(`${folder}/@opentelemetry/sdk-trace-node`);
  new NodeTracerProvider().register();
  const tracer = api.trace.getTracer('test');
  const look = () => {
    const { traceId, spanId } = api.trace.getActiveSpan()?.spanContext() ?? { traceId: '', spanId: '' };
    touch(`trace-${traceId}-${spanId}`);
  };
  const work = () =>
    tracer.startActiveSpan('outer', async (outer) => {
      look();
      await sleep(1);
      await tracer.startActiveSpan('inner', async (inner) => {
        await Promise.all([fs.promises.stat('/'), new Promise((resolve) => setImmediate(() => resolve(look())))]);
        look();
        inner.end();
      });
      const { traceId, spanId } = outer.spanContext();
      const headers = { traceparent: `00-${traceId}-${spanId}-01` };
      // Its ids are slices of the header.
      api.context.with(api.propagation.extract(api.context.active(), headers), look);
      // V8 makes the id of a property's name another string.
      look({ [traceId]: 1 });
      outer.end();
    });
  await Promise.all([work(), work(), work()]);
  look();
}

if (isMainThread) {
  const lines = readline.createInterface({ input: process.stdin });
  lines.on('line', async (line) => {
    const [command, argument] = line.split(' ');
    if (command === 'ids') {
      const worker = new Promise((resolve, reject) => new Worker(__filename).on('exit', resolve).on('error', reject));
      await Promise.all([ids(), worker]);
    } else if (command === 'requests') await requests(Number(argument));
    else await traces(argument);
    console.log('done');
  });
  console.log('ready');
} else ids();
