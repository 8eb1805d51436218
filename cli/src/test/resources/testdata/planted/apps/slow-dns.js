'use strict';
// Each request waits for a name server that answers late; c-ares asks it.
const { fetchRates } = require('../lib/rates');

const routes = { '/rates': fetchRates, '/health': async () => ({ isWell: true }) };

module.exports = { routes };
