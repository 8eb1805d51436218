'use strict';
// Each request changes the same row in a transaction that stays open for a while.
const { makeShelves, takeAndPack } = require('../lib/shelves');

module.exports = { routes: { '/take': () => takeAndPack(1) }, prepare: makeShelves };
