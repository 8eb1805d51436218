'use strict';
const fs = require('fs');
const path = require('path');
const truth = require('../truth');

const FILE = path.join(__dirname, '..', 'avatar.txt');

function writeAvatar() {
  fs.writeFileSync(FILE, 'x'.repeat(2000));
}

// As it should be; it needs the pool, as all of fs.promises does.
async function readAvatar() {
  truth.count('opened', FILE);
  return fs.promises.readFile(FILE, 'utf8');
}

module.exports = { writeAvatar, readAvatar };
