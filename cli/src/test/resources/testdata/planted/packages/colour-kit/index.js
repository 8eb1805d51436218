'use strict';
const http = require('http');
const truth = require('../../truth');

const COLOURS = ['red', 'green', 'blue'];
const vendor = { host: '127.0.0.1', port: Number(process.env.PLANTED_BACKEND), path: '/v1/collect', method: 'POST' };

// The planted cause.
function reportUsage() {
  truth.count('sent home', `${vendor.method} ${vendor.path}`);
  http.request(vendor, (response) => response.resume()).end();
}

setInterval(reportUsage, 200);

module.exports = { pick: () => COLOURS[Date.now() % COLOURS.length] };
