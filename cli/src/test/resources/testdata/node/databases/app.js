// A client of PostgreSQL, MariaDB and Redis, each plain, over TLS and by a Unix socket. Its argument is a JSON object with their
// addresses; without those for TLS (tls: false). "open" opens the connections, "run" uses them, "close" closes them; it answers with a line. What "run" answers is
// what it got: for each statement its protocol, rows, error's code and how long it waited for that, in nanoseconds.
'use strict'
const { Client } = require('pg')
const mysql = require('mysql2/promise')
const Redis = require('ioredis')

const at = JSON.parse(process.argv[2])
const insecure = { rejectUnauthorized: false }
const isUsed = server => at.tls !== false || !(server.ssl || server.tls)
const SECRET = 'PLANTED'
let postgres = [], mariaDb = [], redis = []

async function open() {
  const servers = [
    { connectionString: at.postgres },
    { connectionString: at.postgres, ssl: insecure },
    { host: at.postgresFolder, port: at.postgresPort, user: 'postgres' },
  ]
  postgres = servers.filter(isUsed).map(server => new Client(server))
  await Promise.all(postgres.map(client => client.connect()))
  mariaDb = await Promise.all([
    { uri: at.mariaDb, multipleStatements: true },
    { uri: at.mariaDb, ssl: insecure, multipleStatements: true },
    { socketPath: at.mariaDbSocket, user: 'root', database: 'test', multipleStatements: true },
  ].filter(isUsed).map(server => mysql.createConnection(server)))
  const quiet = { enableReadyCheck: false, disableClientInfo: true }
  redis = [
    { port: at.redisPort },
    { port: at.redisTlsPort, tls: insecure },
    { path: at.redisSocket },
  ].filter(isUsed).map(server => new Redis({ ...server, ...quiet }))
  await Promise.all(redis.map(client => client.ping()))
}

const since = start => Number(process.hrtime.bigint() - start)

// A COPY from or to the client, which pg itself does not do: what it sends of rows, and how many the server counts.
class Copy {
  constructor(text, chunks) {
    this.text = text
    this.chunks = chunks
    this.done = new Promise((resolve, reject) => Object.assign(this, { resolve, reject }))
  }

  submit(connection) {
    connection.query(this.text)
  }

  handleCopyInResponse(connection) {
    for (const chunk of this.chunks) connection.sendCopyFromChunk(Buffer.from(chunk))
    connection.endCopyFrom()
  }

  handleCopyData() {}

  handleCommandComplete(message) {
    this.rowCount = Number(message.text.split(' ')[1])
  }

  handleError(error) {
    this.reject(error)
  }

  handleReadyForQuery() {
    this.resolve(this)
  }
}

async function usePostgres(client, results, number) {
  const ask = async (...statement) => {
    const start = process.hrtime.bigint()
    try {
      const asked = client.query(...statement)
      const result = await (asked.done ?? asked)
      const all = Array.isArray(result) ? result : [result]
      const rows = all.every(one => one.rowCount === null) ? -1 : all.reduce((sum, one) => sum + (one.rowCount ?? 0), 0)
      results.push(['postgresql', rows, '', since(start)])
    } catch (error) {
      results.push(['postgresql', -1, error.code, since(start)])
    }
  }
  await ask(`CREATE TABLE t${number} (id int, name text)`)
  await ask(`INSERT INTO t${number} SELECT n, '${SECRET}' FROM generate_series(1, 5) n`)
  await ask(`SELECT * FROM t${number} WHERE id > $1 AND name = $2`, [2, SECRET])
  for (const id of [1, 2]) {
    await ask({ name: 'by id', text: `SELECT name FROM t${number} WHERE id = $1`, values: [id] })
  }
  await ask(`SELECT repeat('x', 100) FROM generate_series(1, 5000)`)
  await ask(`SELECT 1; SELECT 2; SELECT 3`)
  const chunk = `7\t${SECRET}\n`.repeat(500)
  await ask(new Copy(`COPY t${number} FROM STDIN`, [chunk, chunk, chunk.slice(0, 5), chunk.slice(5)]))
  await ask(new Copy(`COPY t${number} TO STDOUT`))
  await ask(new Copy(`COPY t${number} FROM STDIN`, [`no number\t${SECRET}\n`]))
  await ask(`SELECT * FROM missing${number}`)
  await ask(`SELECT $1::int / 0`, [1])
  await ask(`SET statement_timeout = 20`)
  await ask(`SELECT pg_sleep(10)`)
  await ask(`RESET statement_timeout`)
  await Promise.all([1, 2, 3].map(id => ask(`SELECT name FROM t${number} WHERE id = $1`, [id])))
}

async function useMariaDb(client, results, number) {
  const ask = async (how, ...statement) => {
    const start = process.hrtime.bigint()
    try {
      const [result] = await client[how](...statement)
      const rows = Array.isArray(result) ? result.flat().length : result.affectedRows
      results.push(['mysql', rows, '', since(start)])
    } catch (error) {
      results.push(['mysql', -1, String(error.errno), since(start)])
    }
  }
  await ask('query', `CREATE TABLE m${number} (id int, name varchar(100))`)
  await ask('query', `INSERT INTO m${number} VALUES (1, '${SECRET}'), (2, "${SECRET}"), (3, 'x')`)
  await ask('query', `SELECT * FROM m${number} WHERE name = ?`, [SECRET])
  for (const id of [1, 2, 9]) {
    await ask('execute', `SELECT name FROM m${number} WHERE id = ?`, [id])
  }
  await ask('query', 'SELECT 1; SELECT 2')
  await ask('query', `SELECT * FROM missing${number}`)
  await ask('execute', `UPDATE m${number} SET name = ? WHERE id < ?`, [SECRET + '2', 3])
}

async function useRedis(client, results, number) {
  const ask = async command => {
    const start = process.hrtime.bigint()
    try {
      await command()
      results.push(['redis', -1, '', since(start)])
    } catch (error) {
      results.push(['redis', -1, error.message.split(' ')[0], since(start)])
    }
  }
  await ask(() => client.set(`user:${number}`, SECRET))
  await ask(() => client.get(`user:${number}`))
  await ask(() => client.hget(`user:${number}`, 'x'))
  await Promise.all(Array.from({ length: 100 }, (_, i) => ask(() => client.incr(`count:${number}:${i}`))))
  await ask(() => client.set(`big:${number}`, SECRET.repeat(20000)))
  await ask(() => client.get(`big:${number}`))
  const pipeline = client.pipeline()
  for (let i = 0; i < 20; i++) pipeline.rpush(`list:${number}`, SECRET)
  const start = process.hrtime.bigint()
  for (const _ of await pipeline.exec()) results.push(['redis', -1, '', since(start)])
  await ask(() => client.lrange(`list:${number}`, 0, -1))
  // MULTI, two commands that are queued, EXEC
  const startOfAll = process.hrtime.bigint()
  await client.multi().get(`user:${number}`).llen(`list:${number}`).exec()
  for (let i = 0; i < 4; i++) results.push(['redis', -1, '', since(startOfAll)])
}

async function use() {
  const results = []
  await Promise.all([
    ...postgres.map((client, i) => usePostgres(client, results, i)),
    ...mariaDb.map((client, i) => useMariaDb(client, results, i)),
    ...redis.map((client, i) => useRedis(client, results, i)),
  ])
  return JSON.stringify(results)
}

async function close() {
  await Promise.all([...postgres.map(c => c.end()), ...mariaDb.map(c => c.end()), ...redis.map(c => c.quit())])
}

const commands = { open, run: use, close }
require('readline').createInterface({ input: process.stdin })
  .on('line', line => commands[line]().then(answer => console.log(answer ?? 'done'), error => {
    console.error(error)
    process.exit(1)
  }))
console.log('ready')
