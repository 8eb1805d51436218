// A small shop: reads its catalogue for each request, hashes a password for some, and blocks its loop now and then.
const crypto = require('crypto');
const fs = require('fs');
const http = require('http');

function parseCatalogue(text, copies) {
  const words = text.repeat(copies).split(/\W+/);
  return words.sort().filter((word, i) => word !== words[i - 1]).length;
}

function verifyPassword(done) {
  crypto.pbkdf2('secret', 'salt', 60000, 32, 'sha256', done);
}

const server = http.createServer((request, response) => {
  fs.readFile(__filename, 'utf8', (error, text) => {
    if (request.url === '/login') {
      verifyPassword(() => response.end('welcome'));
    } else if (request.url === '/search') {
      response.end(String(parseCatalogue(text, 40)));
    } else if (request.url === '/export') {
      response.end(String(parseCatalogue(text, 4000)));
    } else {
      response.end(text.slice(0, 200));
    }
  });
});
server.listen(0, '127.0.0.1', () => {
  const agent = new http.Agent({ keepAlive: true, maxSockets: 8 });
  const { port } = server.address();
  let count = 0;
  setInterval(() => {
    count++;
    const path = count % 150 === 0 ? '/export' : ['/', '/login', '/', '/search', '/product'][count % 5];
    http.get({ port, host: '127.0.0.1', path, agent }, (answer) => answer.resume());
  }, 4);
});
setTimeout(() => process.exit(), 4000);
