'use strict';
// The backend is quick, but for one call of ten.
const { fetchTariff } = require('../lib/tariffs');

module.exports = { routes: { '/tariff': fetchTariff } };
