'use strict';
// What handlers do with a client. "open" takes the URLs of the servers {postgres, mysql, redis} and resolves to the handler's work, which
// takes an order book: its statement(), file() and outgoing() give a name of this request that was not used before, in a table's alias
// or a key, a path, and a URL, and log it. Work with callbacks returns nothing, and takes a function to be called at its end. Pools have 4 connections.
const fs = require('fs');
const http = require('http');

const POOL = 4;
const TABLE = 'CREATE TABLE IF NOT EXISTS things (id INTEGER)';
const read = path => fs.promises.readFile(path).catch(() => {});

const openPg = async urls => {
  const pool = new (require('pg').Pool)({ connectionString: urls.postgres, max: POOL, idleTimeoutMillis: 0 });
  await pool.query(TABLE);
  return pool;
};

exports.pg = {
  async open(urls) {
    const pool = await openPg(urls);
    return async order => {
      await pool.query(`SELECT id AS ${order.statement()} FROM things`);
      await read(order.file());
      await pool.query(`SELECT id AS ${order.statement()} FROM things WHERE id = $1`, [1]);
      await read(order.file());
    };
  },
};

exports['pg-callback'] = {
  async open(urls) {
    const pool = await openPg(urls);
    return (order, done) => {
      pool.query(`SELECT id AS ${order.statement()} FROM things`, () => {
        fs.readFile(order.file(), () => {
          pool.query(`SELECT id AS ${order.statement()} FROM things`, () => fs.readFile(order.file(), () => done()));
        });
      });
    };
  },
};

exports['pg-transaction'] = {
  async open(urls) {
    const pool = await openPg(urls);
    return async order => {
      const client = await pool.connect();
      try {
        await client.query('BEGIN');
        await client.query(`SELECT id AS ${order.statement()} FROM things`);
        await read(order.file());
        await client.query(`SELECT id AS ${order.statement()} FROM things`);
        await client.query('COMMIT');
      } finally {
        client.release();
      }
      await read(order.file());
    };
  },
};

exports['postgres.js'] = {
  async open(urls) {
    const sql = require('postgres')(urls.postgres, { max: POOL, onnotice() {} });
    await sql.unsafe(TABLE);
    return async order => {
      await sql`SELECT id AS ${sql(order.statement())} FROM things`;
      await read(order.file());
      await sql.begin(async transaction => {
        await transaction`SELECT id AS ${sql(order.statement())} FROM things`;
        await read(order.file());
      });
      await sql`SELECT id AS ${sql(order.statement())} FROM things WHERE id = ${1}`;
    };
  },
};

const openMysql2 = async urls => {
  const pool = require('mysql2/promise').createPool({ uri: urls.mysql, connectionLimit: POOL });
  await pool.query(TABLE);
  return pool;
};

exports.mysql2 = {
  async open(urls) {
    const pool = await openMysql2(urls);
    return async order => {
      await pool.query(`SELECT id AS ${order.statement()} FROM things`);
      await read(order.file());
      await pool.execute(`SELECT id AS ${order.statement()} FROM things WHERE id = ?`, [1]);
      await read(order.file());
    };
  },
};

exports['mysql2-transaction'] = {
  async open(urls) {
    const pool = await openMysql2(urls);
    return async order => {
      const connection = await pool.getConnection();
      try {
        await connection.beginTransaction();
        await connection.query(`SELECT id AS ${order.statement()} FROM things`);
        await read(order.file());
        await connection.query(`SELECT id AS ${order.statement()} FROM things`);
        await connection.commit();
      } finally {
        connection.release();
      }
      await read(order.file());
    };
  },
};

exports.mariadb = {
  since: 20,
  async open(urls) {
    const { hostname, port, pathname } = new URL(urls.mysql);
    const pool = require('mariadb').createPool({
      host: hostname, port: Number(port), user: 'root', database: pathname.slice(1), connectionLimit: POOL, minimumIdle: POOL,
    });
    await pool.query(TABLE);
    return async order => {
      await pool.query(`SELECT id AS ${order.statement()} FROM things`);
      await read(order.file());
      const connection = await pool.getConnection();
      try {
        await connection.query(`SELECT id AS ${order.statement()} FROM things WHERE id = ?`, [1]);
      } finally {
        await connection.release();
      }
      await read(order.file());
    };
  },
};

const useIoredis = redis => async order => {
  await redis.set(order.statement(), 1);
  await read(order.file());
  await Promise.all([redis.get(order.statement()), redis.get(order.statement())]);
  await read(order.file());
};

exports.ioredis = {
  async open(urls) {
    return useIoredis(new (require('ioredis'))(urls.redis));
  },
};

exports['ioredis-pipelining'] = {
  async open(urls) {
    return useIoredis(new (require('ioredis'))(urls.redis, { enableAutoPipelining: true }));
  },
};

exports['node-redis'] = {
  async open(urls) {
    const redis = await require('redis').createClient({ url: urls.redis }).connect();
    return async order => {
      await redis.set(order.statement(), '1');
      await read(order.file());
      await Promise.all([redis.get(order.statement()), redis.get(order.statement())]);
      await read(order.file());
    };
  },
};

exports.knex = {
  async open(urls) {
    const knex = require('knex')({ client: 'pg', connection: urls.postgres, pool: { min: POOL, max: POOL } });
    await knex.raw(TABLE);
    return async order => {
      await knex('things').select({ [order.statement()]: 'id' });
      await read(order.file());
      await knex.transaction(async transaction => {
        await transaction('things').select({ [order.statement()]: 'id' });
        await read(order.file());
      });
      await knex('things').where('id', 1).select({ [order.statement()]: 'id' });
    };
  },
};

exports.sequelize = {
  async open(urls) {
    const { Sequelize, DataTypes } = require('sequelize');
    const sequelize = new Sequelize(urls.mysql, { logging: false, pool: { max: POOL, min: POOL } });
    const Thing = sequelize.define('thing', { id: { type: DataTypes.INTEGER, primaryKey: true } }, { tableName: 'things', timestamps: false });
    await sequelize.query(TABLE);
    return async order => {
      await Thing.findAll({ attributes: [['id', order.statement()]] });
      await read(order.file());
      await sequelize.transaction(async transaction => {
        await Thing.findAll({ attributes: [['id', order.statement()]], transaction });
        await read(order.file());
      });
      await sequelize.query(`SELECT id AS ${order.statement()} FROM things`);
    };
  },
};

exports.typeorm = {
  async open(urls) {
    const { DataSource, EntitySchema } = require('typeorm');
    const Thing = new EntitySchema({ name: 'Thing', tableName: 'things', columns: { id: { type: Number, primary: true } } });
    const source = await new DataSource({ type: 'postgres', url: urls.postgres, poolSize: POOL, entities: [Thing] }).initialize();
    await source.query(TABLE);
    return async order => {
      await source.getRepository(Thing).createQueryBuilder(order.statement()).getMany();
      await read(order.file());
      await source.transaction(async manager => {
        await manager.createQueryBuilder(Thing, order.statement()).getMany();
        await read(order.file());
      });
      await source.query(`SELECT id AS ${order.statement()} FROM things`);
    };
  },
};

exports.axios = {
  async open() {
    const axios = require('axios');
    return async order => {
      await axios.get(order.outgoing());
      await read(order.file());
      await Promise.all([axios.get(order.outgoing()), axios.post(order.outgoing(), { a: 1 })]);
      await read(order.file());
    };
  },
};

exports.got = {
  since: 20,
  async open() {
    const { got } = await import('got');
    return async order => {
      await got(order.outgoing()).text();
      await read(order.file());
      await Promise.all([got(order.outgoing()).text(), got.post(order.outgoing(), { json: { a: 1 } }).text()]);
      await read(order.file());
    };
  },
};

exports.undici = {
  since: 20,
  async open() {
    const { Agent, request } = require('undici');
    const dispatcher = new Agent({ connections: POOL });
    const ask = async url => (await request(url, { dispatcher })).body.text();
    return async order => {
      await ask(order.outgoing());
      await read(order.file());
      await Promise.all([ask(order.outgoing()), ask(order.outgoing())]);
      await read(order.file());
    };
  },
};

exports.fetch = {
  async open() {
    const ask = async (url, options) => (await fetch(url, options)).text();
    return async order => {
      await ask(order.outgoing());
      await read(order.file());
      await Promise.all([ask(order.outgoing()), ask(order.outgoing(), { method: 'POST', body: 'a=1' })]);
      await read(order.file());
    };
  },
};

/** Most requests wait for one of its connections: the log has the time at which they were asked for. */
exports['http-agent'] = {
  async open() {
    const agent = new http.Agent({ keepAlive: true, maxSockets: POOL });
    const ask = url => new Promise((done, failed) => {
      http.request(url, { agent }, answer => answer.resume().on('end', done)).on('error', failed).end();
    });
    return async order => {
      await ask(order.waiting());
      await read(order.file());
      await ask(order.waiting());
      await read(order.file());
    };
  },
};

exports.files = {
  async open() {
    return async order => {
      await read(order.file());
      await new Promise(done => fs.readFile(order.file(), () => fs.stat(order.file(), done)));
      const file = await fs.promises.open(order.file());
      await file.read(Buffer.alloc(10), 0, 10, 0);
      await file.close();
      await new Promise(done => fs.createReadStream(order.file()).on('error', done).on('close', done).resume());
    };
  },
};

Object.assign(exports, require('./queues.js'));
