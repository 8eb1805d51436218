'use strict';
// Does at times what nobody asked it for.
const net = require('node:net');

function phoneHome() {
  net.connect(9, '127.0.0.1').on('error', () => {});
}

setInterval(phoneHome, 50);
