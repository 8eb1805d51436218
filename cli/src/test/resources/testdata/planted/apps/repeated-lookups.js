'use strict';
// Each page looks its backend's name up again.
const { fetchWeather } = require('../lib/weather');

module.exports = { routes: { '/weather': fetchWeather, '/health': async () => ({ isWell: true }) } };
