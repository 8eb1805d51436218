'use strict';
// Summaries allocate so much that the garbage collector is busy most of the time. V8 would learn after a few that what these
// places allocate survives, and not scavenge it any more; an application whose objects come from many places has no such luck.
require('v8').setFlagsFromString('--no-allocation-site-pretenuring');

const { groupRows } = require('../lib/summary');

const routes = { '/summary': groupRows, '/health': async () => ({ isWell: true }) };

module.exports = { routes };
