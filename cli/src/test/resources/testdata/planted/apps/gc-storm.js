'use strict';
// Summaries allocate so much that the garbage collector is busy all the time.
const { groupRows } = require('../lib/summary');

const routes = { '/summary': groupRows, '/health': async () => ({ isWell: true }) };

module.exports = { routes };
