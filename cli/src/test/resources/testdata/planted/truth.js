'use strict';
// What the application itself knows that it did: how often, by what.
const counts = {};

function count(what, key) {
  counts[what] = counts[what] || {};
  counts[what][key] = (counts[what][key] || 0) + 1;
}

module.exports = { count, all: () => counts };
