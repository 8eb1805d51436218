'use strict';
const { Pool } = require('pg');

const shared = new Pool({ connectionString: process.env.PLANTED_DATABASE, max: 4 });

// Asks the database.
async function query(text, values) {
  return (await shared.query(text, values)).rows;
}

module.exports = { query };
