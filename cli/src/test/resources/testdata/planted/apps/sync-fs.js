'use strict';
// Each page reads its files synchronously.
const { writePartials, renderPage } = require('../lib/template');

module.exports = { routes: { '/page': renderPage }, prepare: writePartials };
