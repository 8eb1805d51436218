'use strict';
// The database takes long for a statement of each page.
const { loadReport } = require('../lib/sales');

module.exports = { routes: { '/report': () => loadReport(0.3) } };
