'use strict';
// Each invoice takes the loop for tens of milliseconds, none for long; requests wait in line.
const { makeInvoice } = require('../lib/invoice');

module.exports = { routes: { '/invoice/': makeInvoice, '/health': async () => ({ isWell: true }) } };
