'use strict';
// Each page asks a backend that takes a while, through an agent that has two connections for all of them.
const { fetchStock } = require('../lib/stock');

module.exports = { routes: { '/stock': fetchStock } };
