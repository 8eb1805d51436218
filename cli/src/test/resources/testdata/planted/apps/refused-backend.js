'use strict';
// The backend of each page does not listen.
const { fetchReviews } = require('../lib/reviews');

module.exports = { routes: { '/reviews': fetchReviews, '/health': async () => ({ isWell: true }) } };
