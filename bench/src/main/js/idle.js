'use strict';
// Connections to a server on loopback that send one request each and are idle from then on. Arguments: port, connections.
// Prints "ready" when all have got their answer. Ends with its input.
const net = require('net');

const [port, connections] = process.argv.slice(2).map(Number);
const AT_ONCE = 100;
let begun = 0;
let answered = 0;

function next() {
  if (begun === connections) {
    return;
  }
  begun++;
  const socket = net.connect(port, '127.0.0.1', () => socket.write('GET /hello HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n'));
  socket.once('data', () => {
    if (++answered === connections) {
      process.stdout.write('ready\n');
    }
    next();
  }).on('error', (error) => {
    process.stderr.write(`idle connection ${begun} of ${connections}: ${error.message}\n`);
    process.exit(1);
  });
}

for (let i = 0; i < Math.min(AT_ONCE, connections); i++) {
  next();
}
process.stdin.resume().on('end', () => process.exit(0));
