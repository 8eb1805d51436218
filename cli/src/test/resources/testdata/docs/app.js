// The app.js and server.js of the documentation: serves requests, sends them to itself, and reads a file for each.
// Ends after the given number of milliseconds, or after two seconds.
const fs = require('fs');
const http = require('http');

const server = http.createServer((request, response) => {
  fs.readFile('/etc/passwd', (error, content) => {
    response.statusCode = request.url === '/fail' ? 500 : 200;
    response.end(String(error ? 0 : content.length));
  });
});
server.listen(0, '127.0.0.1', () => {
  const { port } = server.address();
  let count = 0;
  setInterval(() => {
    http.get({ port, host: '127.0.0.1', path: ++count % 10 === 0 ? '/fail' : '/file' }, (answer) => answer.resume());
  }, 20);
  console.log('ready');
});
setTimeout(() => process.exit(), Number(process.argv[2] || 2000));
