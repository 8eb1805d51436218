'use strict';
// Where articles {id, title, price} are kept. "open" takes the URLs of the servers {postgres, mysql, redis, backend}
// and a folder, makes 1,000 articles, and resolves to list(after) of the next 20, find(id) and add(article). Options
// are the clients' defaults. Their pools have 10 connections, and a load of 8 requests at a time needs no more than 8;
// axios keeps its connections, as undici does by default.
const fs = require('fs');
const http = require('http');
const path = require('path');

const COUNT = 1000;
const PAGE = 20;
const made = id => ({ id, title: `Article ${id}`, price: id % 100 });
const page = after => Array.from({ length: PAGE }, (unused, i) => after + i + 1);

const makeTable = [
  'DROP TABLE IF EXISTS articles',
  'CREATE TABLE articles (id SERIAL PRIMARY KEY, title TEXT NOT NULL, price INTEGER NOT NULL)',
];
const fillPostgres = `
  INSERT INTO articles (title, price) SELECT 'Article ' || i, i % 100 FROM generate_series(1, ${COUNT}) i`;
const fillMysql = `
  INSERT INTO articles (title, price) SELECT concat('Article ', seq), seq % 100 FROM seq_1_to_${COUNT}`;

/** Makes the table by a function that runs a statement. */
async function prepare(run, fill) {
  for (const statement of [...makeTable, fill]) await run(statement);
}

exports.pg = {
  async open(urls) {
    const pool = new (require('pg').Pool)({ connectionString: urls.postgres });
    await prepare(statement => pool.query(statement), fillPostgres);
    const rows = async (statement, values) => (await pool.query(statement, values)).rows;
    return {
      list: after => rows(`SELECT id, title, price FROM articles WHERE id > $1 ORDER BY id LIMIT ${PAGE}`, [after]),
      find: async id => (await rows('SELECT id, title, price FROM articles WHERE id = $1', [id]))[0],
      add: async ({ title, price }) =>
        (await rows('INSERT INTO articles (title, price) VALUES ($1, $2) RETURNING *', [title, price]))[0],
    };
  },
};

exports.mysql2 = {
  async open(urls) {
    const pool = require('mysql2/promise').createPool({ uri: urls.mysql });
    await prepare(statement => pool.query(statement), fillMysql);
    const rows = async (statement, values) => (await pool.execute(statement, values))[0];
    return {
      list: after => rows(`SELECT id, title, price FROM articles WHERE id > ? ORDER BY id LIMIT ${PAGE}`, [after]),
      find: async id => (await rows('SELECT id, title, price FROM articles WHERE id = ?', [id]))[0],
      add: async ({ title, price }) => {
        const { insertId } = await rows('INSERT INTO articles (title, price) VALUES (?, ?)', [title, price]);
        return { id: insertId, title, price };
      },
    };
  },
};

exports['postgres.js'] = {
  async open(urls) {
    const sql = require('postgres')(urls.postgres, { onnotice() {} });
    await prepare(statement => sql.unsafe(statement), fillPostgres);
    return {
      list: after => sql`SELECT id, title, price FROM articles WHERE id > ${after} ORDER BY id LIMIT ${PAGE}`,
      find: async id => (await sql`SELECT id, title, price FROM articles WHERE id = ${id}`)[0],
      add: async ({ title, price }) =>
        (await sql`INSERT INTO articles (title, price) VALUES (${title}, ${price}) RETURNING id, title, price`)[0],
    };
  },
};

exports.knex = {
  async open(urls) {
    const knex = require('knex')({ client: 'pg', connection: urls.postgres });
    await prepare(statement => knex.raw(statement), fillPostgres);
    const columns = ['id', 'title', 'price'];
    return {
      list: after => knex('articles').select(columns).where('id', '>', after).orderBy('id').limit(PAGE),
      find: id => knex('articles').where({ id }).first(columns),
      add: async ({ title, price }) => (await knex('articles').insert({ title, price }).returning(columns))[0],
    };
  },
};

exports.typeorm = {
  async open(urls) {
    const { DataSource, EntitySchema, MoreThan } = require('typeorm');
    const Article = new EntitySchema({
      name: 'Article',
      tableName: 'articles',
      columns: {
        id: { type: Number, primary: true, generated: true },
        title: { type: 'text' },
        price: { type: Number },
      },
    });
    const source = await new DataSource({ type: 'postgres', url: urls.postgres, entities: [Article] }).initialize();
    await prepare(statement => source.query(statement), fillPostgres);
    const repository = source.getRepository(Article);
    return {
      list: after => repository.find({ where: { id: MoreThan(after) }, order: { id: 'ASC' }, take: PAGE }),
      find: id => repository.findOneBy({ id }),
      add: ({ title, price }) => repository.save({ title, price }),
    };
  },
};

const key = id => `article:${id}`;

/** Articles in Redis, each as JSON below its key. */
const redisArticles = (redis, getAll) => ({
  list: async after => (await getAll(page(after).map(key))).filter(Boolean).map(JSON.parse),
  find: async id => JSON.parse(await redis.get(key(id))),
  add: async ({ title, price }) => {
    const article = { id: await redis.incr('last'), title, price };
    await redis.set(key(article.id), JSON.stringify(article));
    return article;
  },
});

async function fillRedis(redis) {
  for (let id = 1; id <= COUNT; id++) await redis.set(key(id), JSON.stringify(made(id)));
  await redis.set('last', `${COUNT}`);
}

exports.ioredis = {
  async open(urls) {
    const redis = new (require('ioredis'))(urls.redis);
    await fillRedis(redis);
    return redisArticles(redis, keys => redis.mget(keys));
  },
};

exports['node-redis'] = {
  async open(urls) {
    const redis = await require('redis').createClient({ url: urls.redis }).connect();
    await fillRedis(redis);
    return redisArticles(redis, keys => redis.mGet(keys));
  },
};

exports.undici = {
  async open(urls) {
    const { Pool } = require('undici');
    const pool = new Pool(urls.backend, { connections: 10 });
    const ask = async (method, path, value) => {
      const body = value && JSON.stringify(value);
      const headers = body ? { 'content-type': 'application/json' } : {};
      const answer = await pool.request({ method, path, body, headers });
      return answer.body.json();
    };
    return {
      list: after => ask('GET', `/articles?after=${after}`),
      find: id => ask('GET', `/articles/${id}`),
      add: article => ask('POST', '/articles', article),
    };
  },
};

exports.axios = {
  async open(urls) {
    const client = require('axios').create({ baseURL: urls.backend, httpAgent: new http.Agent({ keepAlive: true }) });
    return {
      list: async after => (await client.get('/articles', { params: { after } })).data,
      find: async id => (await client.get(`/articles/${id}`)).data,
      add: async article => (await client.post('/articles', article)).data,
    };
  },
};

exports.files = {
  async open(urls, folder) {
    const file = id => path.join(folder, `${id}.json`);
    const write = article => fs.promises.writeFile(file(article.id), JSON.stringify(article));
    const read = async id => JSON.parse(await fs.promises.readFile(file(id), 'utf8'));
    for (let id = 1; id <= COUNT; id++) await write(made(id));
    let last = COUNT;
    return {
      list: after => Promise.all(page(after).slice(0, 3).map(read)),
      find: read,
      add: async ({ title, price }) => {
        const article = { id: ++last, title, price };
        await write(article);
        return article;
      },
    };
  },
};
