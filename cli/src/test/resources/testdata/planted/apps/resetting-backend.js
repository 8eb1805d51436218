'use strict';
// The backend resets each third connection instead of an answer.
const { callInventory } = require('../lib/inventory');

module.exports = { routes: { '/inventory/': callInventory } };
