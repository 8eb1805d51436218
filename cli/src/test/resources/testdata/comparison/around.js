'use strict';
// The dependency of app.js and its load, in a process that is not recorded. Says the port of the dependency; then, by line:
//   load PORT     from now on asks app.js there, 100 times a second; answers at once
//   delay MS      the dependency answers so much later from now on
//   more COUNT    answers when so many more requests were answered
const http = require('http');

const agent = new http.Agent({ keepAlive: true });
let delayMs = 2;
let asked = 0;
let answered = 0;
let waiting = null;

function load(port) {
  const request = () => {
    const path = asked % 2 === 0 ? `/orders/${asked}` : `/health/${asked}`;
    asked++;
    http.get({ host: '127.0.0.1', port, path, agent }, (response) => response.resume().on('end', count)).on('error', () => {});
  };
  setInterval(request, 10);
}

function count() {
  answered++;
  if (waiting !== null && answered >= waiting) {
    waiting = null;
    console.log(JSON.stringify({ answered }));
  }
}

function answer(line) {
  const [command, number] = line.split(' ');
  if (command === 'load') load(Number(number));
  if (command === 'delay') delayMs = Number(number);
  if (command === 'more') waiting = answered + Number(number);
  else console.log(JSON.stringify({ asked }));
}

const dependency = http.createServer((request, response) => setTimeout(() => response.end('{"stock":7}'), delayMs));
dependency.keepAliveTimeout = 60000;
dependency.listen(0, '127.0.0.1', () => {
  console.log(JSON.stringify({ port: dependency.address().port }));
  require('readline')
    .createInterface({ input: process.stdin })
    .on('line', answer)
    .on('close', () => process.exit(0));
});
