'use strict';
const { ask } = require('./backend');
const truth = require('../truth');

const HOST = 'localhost';

// The planted cause: without an agent that keeps connections each request looks the name up.
async function fetchWeather() {
  truth.count('lookups', HOST);
  return ask(false, '/price', HOST);
}

module.exports = { fetchWeather };
