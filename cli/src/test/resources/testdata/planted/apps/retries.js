'use strict';
// What the backend refuses is asked again at once, twice.
const { fetchBasket } = require('../lib/basket');

module.exports = { routes: { '/basket/': fetchBasket } };
