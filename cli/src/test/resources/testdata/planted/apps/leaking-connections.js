'use strict';
// Each request leaves a connection to the backend open.
const { fetchPrice } = require('../lib/feed');

module.exports = { routes: { '/price': fetchPrice } };
