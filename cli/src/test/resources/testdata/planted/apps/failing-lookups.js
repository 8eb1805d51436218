'use strict';
// The host of each page's backend has no address.
const { fetchOffers } = require('../lib/offers');

module.exports = { routes: { '/offers': fetchOffers, '/health': async () => ({ isWell: true }) } };
