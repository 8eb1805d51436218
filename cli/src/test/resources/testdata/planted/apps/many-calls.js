'use strict';
// A page that asks its backend for each of its wishes by itself.
const { loadWishes } = require('../lib/wishlist');

module.exports = { routes: { '/wishes': loadWishes } };
