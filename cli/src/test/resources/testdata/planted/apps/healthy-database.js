'use strict';
// Statements that are fast, one for all articles, and transactions that stay open for a while and change rows of their own.
const { makeArticles, loadAllArticles } = require('../lib/articles');
const { loadReport } = require('../lib/sales');
const { makeShelves, takeAndPack } = require('../lib/shelves');

module.exports = {
  routes: { '/articles': loadAllArticles, '/report': () => loadReport(0.005), '/take/': (id) => takeAndPack(Number(id) - 999) },
  prepare: async () => {
    await makeArticles();
    await makeShelves();
  },
};
