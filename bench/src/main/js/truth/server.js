'use strict';
// Serves with a framework at two ports, of which the second sleeps in a middleware before each handler, and logs which request orders
// what: server.js FRAMEWORK CLIENT,CLIENT,... URLS FOLDER; "server.js list" prints all applications instead. URLS: {postgres, mysql,
// redis, backend} as JSON. Reads files of FOLDER. Prints "PORT PORT" when it is ready, and answers each line of its standard input with one:
//   files FIRST COUNT   makes the files that requests with these numbers read: "done"
//   forget              forgets the log: "done"
//   collect             from now on collects the garbage of all generations every 20 to 140 ms: "done"
//   log FILE            writes the log as CSV: "done"
const fs = require('fs');
const path = require('path');
const v8 = require('v8');
const vm = require('vm');
const applications = require('./applications.js');
const clients = require('./clients.js');
const frameworks = require('./frameworks.js');

let log = [];

/** What one request orders; its name is logged when and where its handler gives the order. */
class OrderBook {
  #application;
  #request;
  #number;
  #urls;
  #folder;
  #counts = { statement: 0, file: 0, outgoing: 0 };

  constructor(application, request, number, urls, folder) {
    this.#application = application;
    this.#request = request;
    this.#number = number;
    this.#urls = urls;
    this.#folder = folder;
  }

  statement() {
    return this.#ordered('statement');
  }

  file() {
    return path.join(this.#folder, this.#ordered('file'));
  }

  outgoing() {
    return `${this.#urls.backend}/${this.#ordered('outgoing')}`;
  }

  /** The same; how long it waits for a connection is compared, too. */
  waiting() {
    return `${this.#urls.backend}/${this.#ordered('outgoing', process.hrtime.bigint())}`;
  }

  #ordered(kind, atNs = '') {
    const name = `n${this.#number}_${kind[0]}${++this.#counts[kind]}`;
    log.push(`${this.#application},${this.#request},${kind},${name},${atNs}`);
    return name;
  }
}

async function start(framework, names, urls, folder) {
  const works = {};
  for (const name of names.split(',')) works[name] = await clients[name].open(urls);
  const serving = sleeps => (name, number, done) =>
    works[name](new OrderBook(name + (sleeps ? ' sleep' : ''), `/${name}/${number}`, number, urls, folder), done);
  return Promise.all([false, true].map(sleeps => frameworks[framework].start(serving(sleeps), sleeps)));
}

const most = 5; // files of a request

function makeFiles(folder, first, count) {
  for (let number = first; number < first + count; number++) {
    for (let i = 1; i <= most; i++) fs.writeFileSync(path.join(folder, `n${number}_f${i}`), 'a file');
  }
}

/** What survives is moved into the old generation at once, and its addresses are those of others soon. */
function collect() {
  v8.setFlagsFromString('--expose-gc');
  const collectNow = vm.runInNewContext('gc');
  const collectAgain = () => {
    collectNow();
    setTimeout(collectAgain, 20 + 120 * Math.random()).unref();
  };
  collectAgain();
}

function answer(line) {
  const [command, argument, count] = line.split(' ');
  if (command === 'files') makeFiles(folder, Number(argument), Number(count));
  if (command === 'log') fs.writeFileSync(argument, `application,request,kind,name,at_ns\n${log.map(each => `${each}\n`).join('')}`);
  if (command === 'forget') log = [];
  if (command === 'collect') collect();
  console.log('done');
}

const [framework, names, urls, folder] = process.argv.slice(2);
if (framework === 'list') {
  console.log(applications.all().join(' '));
} else {
  start(framework, names, JSON.parse(urls), folder).then(ports => console.log(ports.join(' ')));
}
require('readline').createInterface(process.stdin).on('line', answer).on('close', () => process.exit());
