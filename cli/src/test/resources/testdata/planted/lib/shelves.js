'use strict';
const { Pool } = require('pg');
const truth = require('../truth');

const PACKING_MS = 50;
const shared = new Pool({ connectionString: process.env.PLANTED_DATABASE, max: 30 });
const TAKE = 'UPDATE shelves SET items = items - 1 WHERE id = $1';

async function makeShelves() {
  await shared.query('DROP TABLE IF EXISTS shelves');
  await shared.query('CREATE TABLE shelves AS SELECT id, 1000 AS items FROM generate_series(1, 50) id');
}

const pack = () => new Promise((done) => setTimeout(done, PACKING_MS));

// The planted cause where all take from one shelf: its row is locked while one of them packs.
async function takeAndPack(shelf) {
  const client = await shared.connect();
  try {
    await client.query('BEGIN');
    truth.count('statements', TAKE);
    await client.query(TAKE, [shelf]);
    await pack();
    await client.query('COMMIT');
  } finally {
    client.release();
  }
  return { shelf };
}

module.exports = { makeShelves, takeAndPack };
