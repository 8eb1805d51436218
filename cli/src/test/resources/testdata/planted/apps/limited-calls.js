'use strict';
// A limiter of the application lets three calls go at a time; the backend takes a while for each.
const { findCourier } = require('../lib/couriers');

module.exports = { routes: { '/courier': findCourier } };
