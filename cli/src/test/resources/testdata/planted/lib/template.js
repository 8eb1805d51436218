'use strict';
const fs = require('fs');
const path = require('path');
const truth = require('../truth');

const FOLDER = path.join(__dirname, '..', 'partials');
const PARTIALS = 100;

function fileOf(number) {
  return path.join(FOLDER, `partial-${number}.html`);
}

function writePartials() {
  fs.mkdirSync(FOLDER);
  for (let i = 0; i < PARTIALS; i++) fs.writeFileSync(fileOf(i), `<p>partial ${i}</p>`.repeat(100));
}

// The planted cause: each page reads all of its parts again, and the loop waits for each of them.
async function renderPage() {
  let page = '';
  for (let i = 0; i < PARTIALS; i++) {
    truth.count('opened', fileOf(i));
    page += fs.readFileSync(fileOf(i), 'utf8');
  }
  return { bytes: page.length };
}

module.exports = { writePartials, renderPage };
