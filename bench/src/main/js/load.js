'use strict';
// The load of the benchmark "impact": connections to loopback that stay open, each sends a request when the answer to the one
// before is there, or, with a rate, when its turn has come. Arguments: port, connections, and "tls" for a server of HTTPS. A line
// "PATH MS RATE" runs it for so long with RATE requests/s (0 = as many as are answered) and is answered by a line
// "REQUESTS WALL_US P50_US P99_US". Ends with its input.
const net = require('net');
const tls = require('tls');

const [port, connections] = process.argv.slice(2, 4).map(Number);
const isTls = process.argv[4] === 'tls';

function connect(connected) {
  if (isTls) {
    return tls.connect({ port, host: '127.0.0.1', rejectUnauthorized: false }, connected);
  }
  return net.connect(port, '127.0.0.1', connected);
}

// The client must not be what limits the server: answers to one path are equally long, so only the first is looked into.
function lengthBytes(answer) {
  const text = answer.toString('latin1');
  return text.indexOf('\r\n\r\n') + 4 + Number(/Content-Length: (\d+)/i.exec(text)[1]);
}

function oneConnection(path, first, everyMs, end, latenciesMs) {
  return new Promise((resolve, reject) => {
    const request = Buffer.from(`GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`);
    let turn = first;
    let begin = 0;
    let length = 0;
    let missing = 0;
    const send = () => {
      begin = everyMs ? turn : performance.now(); // a late request counts from when it was due
      missing = length;
      socket.write(request);
    };
    const sendInTurn = () => {
      turn += everyMs;
      const wait = turn - performance.now();
      if (!everyMs || wait <= 0) {
        send();
      } else {
        setTimeout(send, wait);
      }
    };
    const socket = connect(sendInTurn).setNoDelay();
    socket.on('error', reject).on('data', (bytes) => {
      length ||= lengthBytes(bytes);
      missing = (missing || length) - bytes.length;
      if (missing > 0) {
        return;
      }
      const now = performance.now();
      latenciesMs.push(now - begin);
      if (now >= end) {
        socket.destroy();
        resolve();
      } else {
        sendInTurn();
      }
    });
  });
}

async function run(path, ms, perSecond) {
  const latenciesMs = [];
  const begin = performance.now();
  const everyMs = perSecond ? (1000 * connections) / perSecond : 0;
  await Promise.all(Array.from({ length: connections }, (_, i) =>
    oneConnection(path, begin + (i * everyMs) / connections, everyMs, begin + ms, latenciesMs)));
  const wallMs = performance.now() - begin;
  latenciesMs.sort((a, b) => a - b);
  const at = (part) => Math.round(1000 * latenciesMs[Math.floor(part * (latenciesMs.length - 1))]);
  process.stdout.write(`${latenciesMs.length} ${Math.round(1000 * wallMs)} ${at(0.5)} ${at(0.99)}\n`);
}

require('readline').createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [path, ms, perSecond] = line.split(' ');
    run(path, Number(ms), Number(perSecond)).catch((error) => {
      process.stderr.write(`${error.message}\n`);
      process.exit(1);
    });
  })
  .on('close', () => process.exit(0));
process.stdout.write('ready\n');
