'use strict';
// The compiled part (src/), or an Error that says how to get it.
const path = require('node:path');

const file = path.join(__dirname, '..', 'build', 'probestream.node');

function load() {
  try {
    return require(file);
  } catch (error) {
    const why = error.code === 'MODULE_NOT_FOUND' ? 'it was not compiled' : error.message;
    throw new Error(
      `probestream: load ${file}: ${why}; run 'npm rebuild probestream' (it needs a C compiler, and install scripts allowed)`,
      { cause: error },
    );
  }
}

module.exports = load();
