'use strict';
const { once } = require('events');
const http = require('http');
const truth = require('../truth');

// The planted cause: nothing listens there (the port of rje, which is not in use).
const PORT = 5;

async function fetchReviews() {
  truth.count('refused', `127.0.0.1:${PORT}`);
  const request = http.get({ host: '127.0.0.1', port: PORT, path: '/reviews' });
  await once(request, 'response');
}

module.exports = { fetchReviews };
