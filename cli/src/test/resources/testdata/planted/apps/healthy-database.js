'use strict';
// Statements that are fast, and one for all articles.
const { makeArticles, loadAllArticles } = require('../lib/articles');
const { loadReport } = require('../lib/sales');

module.exports = { routes: { '/articles': loadAllArticles, '/report': () => loadReport(0.005) }, prepare: makeArticles };
