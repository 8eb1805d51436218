'use strict';
// A target of the benchmark "impact": a JSON API over PostgreSQL, on loopback. DATABASE_URL names the database. Makes its
// tables, prints its port, and answers GET /customers/ID/orders with the customer, their
// last orders and the items of these: two queries.
const http = require('http');
const { Pool } = require('pg');
require('./cpu-time.js');

const pool = new Pool({ connectionString: process.env.DATABASE_URL, max: 8 });

const TABLES = `
  CREATE TABLE customers (id int PRIMARY KEY, name text NOT NULL, email text NOT NULL, since timestamptz NOT NULL);
  CREATE TABLE orders (id int PRIMARY KEY, customer int NOT NULL, placed timestamptz NOT NULL, state text NOT NULL);
  CREATE TABLE items (order_id int NOT NULL, position int NOT NULL, name text NOT NULL, quantity int NOT NULL,
    price_cents int NOT NULL, PRIMARY KEY (order_id, position));
  INSERT INTO customers SELECT n, 'customer ' || n, 'c' || n || '@example.org', timestamptz '2025-01-01' + n * interval '1 day'
    FROM generate_series(0, 99) n;
  INSERT INTO orders SELECT n, n % 100, timestamptz '2026-01-01' + n * interval '1 minute', 'shipped'
    FROM generate_series(0, 9999) n;
  INSERT INTO items SELECT n / 3, n % 3, 'article ' || n % 17, 1 + n % 5, 100 + n % 900 FROM generate_series(0, 29999) n;
  CREATE INDEX orders_of_customer ON orders (customer, placed);
  ANALYZE`;

const CUSTOMER = { name: 'customer', text: 'SELECT id, name, email, since FROM customers WHERE id = $1' };
const LAST_ORDERS = {
  name: 'last orders',
  text: `SELECT o.id, o.placed, o.state, i.name, i.quantity, i.price_cents
    FROM (SELECT * FROM orders WHERE customer = $1 ORDER BY placed DESC LIMIT 6) o JOIN items i ON i.order_id = o.id
    ORDER BY o.placed DESC, i.position`,
};

function withItems(rows) {
  const orders = new Map();
  for (const { id, placed, state, ...item } of rows) {
    if (!orders.has(id)) {
      orders.set(id, { id, placed, state, totalCents: 0, items: [] });
    }
    const order = orders.get(id);
    order.items.push(item);
    order.totalCents += item.quantity * item.price_cents;
  }
  return [...orders.values()];
}

async function lastOrders(id) {
  const customers = await pool.query({ ...CUSTOMER, values: [id] });
  const items = await pool.query({ ...LAST_ORDERS, values: [id] });
  return { customer: customers.rows[0], orders: withItems(items.rows) };
}

function answer(response, status, value) {
  const text = JSON.stringify(value);
  response.writeHead(status, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) });
  response.end(text);
}

const server = http.createServer((request, response) => {
  const customer = /^\/customers\/(\d+)\/orders$/.exec(request.url);
  if (!customer) {
    answer(response, 404, { error: 'not found' });
    return;
  }
  lastOrders(Number(customer[1])).then(
    (orders) => answer(response, 200, orders),
    (error) => answer(response, 500, { error: error.message }));
});

async function start() {
  const { rows } = await pool.query("SELECT to_regclass('customers') IS NOT NULL AS made");
  if (!rows[0].made) {
    await pool.query(TABLES);
  }
  server.listen(0, '127.0.0.1', () => process.stdout.write(`${server.address().port}\n`));
}

start().catch((error) => {
  process.stderr.write(`start the API: ${error.message}\n`);
  process.exit(1);
});
