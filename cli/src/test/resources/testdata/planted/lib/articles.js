'use strict';
const truth = require('../truth');
const { query } = require('./database');

const ARTICLES = 20;
const ALL_IDS = Array.from({ length: ARTICLES }, (unused, index) => index + 1);
const ONE = 'SELECT name FROM articles WHERE id = $1';
const ALL = 'SELECT name FROM articles WHERE id = ANY($1)';

async function makeArticles() {
  await query('DROP TABLE IF EXISTS articles');
  await query('CREATE TABLE articles AS SELECT id, id::text AS name FROM generate_series(1, 20) id');
}

// The planted cause: one statement would do.
async function loadArticles() {
  const names = [];
  for (const id of ALL_IDS) {
    truth.count('statements', ONE);
    names.push((await query(ONE, [id]))[0].name);
  }
  return names;
}

// As it should be.
async function loadAllArticles() {
  truth.count('statements', ALL);
  return (await query(ALL, [ALL_IDS])).map((row) => row.name);
}

module.exports = { makeArticles, loadArticles, loadAllArticles };
