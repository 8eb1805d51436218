'use strict';
// A page that asks the database for each of its articles by itself.
const { makeArticles, loadArticles } = require('../lib/articles');

module.exports = { routes: { '/articles': loadArticles }, prepare: makeArticles };
