'use strict';
// A batch has more worker threads than there are CPUs; pages, which need a little CPU time, wait for a CPU.
const { startWorkers, sharpenAll, signPage } = require('../lib/pictures');

module.exports = { routes: { '/batch': sharpenAll, '/page': signPage }, prepare: async () => startWorkers() };
