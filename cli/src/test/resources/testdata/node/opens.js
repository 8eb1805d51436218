'use strict';
// Does what its standard input says, line by line, and answers each line when it is done:
//   open N PATH   opens and closes PATH N times on the worker pool, one after the other -> "opened N"
//   sync N PATH   the same on the loop's own thread -> "opened N"
//   busy MS       keeps the loop's thread busy -> "busy MS"
//   exit CODE     ends
const fs = require('fs');

function openTimes(left, path, done) {
  if (left === 0) return done();
  fs.open(path, 'r', (error, fd) => {
    if (error) return openTimes(left - 1, path, done);
    fs.close(fd, () => openTimes(left - 1, path, done));
  });
}

const commands = {
  open: (count, path, answer) => openTimes(+count, path, () => answer('opened ' + count)),
  sync: (count, path, answer) => {
    for (let i = 0; i < +count; i++) fs.closeSync(fs.openSync(path, 'r'));
    answer('opened ' + count);
  },
  busy: (ms, _, answer) => {
    const end = Date.now() + +ms;
    while (Date.now() < end);
    answer('busy ' + ms);
  },
  exit: (code) => process.exit(+code),
};

require('readline')
  .createInterface({ input: process.stdin })
  .on('line', (line) => {
    const [command, first, second] = line.split(' ');
    commands[command](first, second, (text) => console.log(text));
  })
  .on('close', () => process.exit(0));
console.log('ready');
