'use strict';
// Each request sleeps before its work.
const { printReceipt } = require('../lib/receipts');

module.exports = { routes: { '/receipt': printReceipt } };
