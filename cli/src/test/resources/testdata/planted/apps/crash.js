'use strict';
// One request of many ends the process.
const { priceOrder } = require('../lib/orders');

module.exports = { routes: { '/health': async () => ({ isWell: true }), '/order': priceOrder } };
