'use strict';
// A mutex lets one request after the other ask a backend that takes a while.
const { countStock } = require('../lib/counting');

module.exports = { routes: { '/count': countStock } };
