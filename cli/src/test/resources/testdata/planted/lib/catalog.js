'use strict';
const fs = require('fs');
const path = require('path');

const FILE = path.join(__dirname, '..', 'catalog.json');

// 20 MB of articles.
function writeCatalog() {
  const article = (id) => ({ id, name: `article ${id}`, tags: ['new', 'sale', 'red'], price: { net: id / 7, vat: 0.19 } });
  const articles = Array.from({ length: 190000 }, (unused, id) => article(id));
  fs.writeFileSync(FILE, JSON.stringify(articles));
}

// The planted cause: all of it in one turn of the loop.
function parseCatalog(text) {
  return JSON.parse(text);
}

async function importCatalog() {
  return parseCatalog(await fs.promises.readFile(FILE, 'latin1'));
}

module.exports = { writeCatalog, importCatalog };
