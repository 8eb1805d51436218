// A server that asks PostgreSQL, MariaDB and Redis for each request: GET /n=7 asks each for number 7, the first two in pools. Its
// argument is a JSON object with their addresses. A line "one 3" asks it for numbers 0 to 2, one after the other; "all 3" at once.
'use strict'
const http = require('node:http')
const { Pool } = require('pg')
const mysql = require('mysql2/promise')
const Redis = require('ioredis')

const at = JSON.parse(process.argv[2])
const idle = { max: 8, idleTimeoutMillis: 0 }
let postgres, mariaDb, redis

async function open() {
  postgres = new Pool({ connectionString: at.postgres, ...idle })
  mariaDb = mysql.createPool({ uri: at.mariaDb, connectionLimit: 8 })
  redis = new Redis({ host: 'localhost', port: at.redisPort, enableReadyCheck: false, disableClientInfo: true })
  await Promise.all([redis.ping(), postgres.query('SELECT 1'), mariaDb.query('SELECT 1')])
}

async function number(n) {
  await redis.get('shop:' + n)
  const [row] = (await postgres.query(`SELECT ${n} AS n`)).rows
  const [[other]] = await mariaDb.query(`SELECT ${n} AS n`)
  if (row.n !== n || other.n !== n) throw new Error('not ' + n)
}

const server = http.createServer(async (request, response) => {
  await number(Number(request.url.split('=')[1]))
  response.end()
})

function ask(n) {
  return new Promise((resolve, reject) => {
    http.get({ port: server.address().port, path: '/n=' + n, agent: false }, answer => {
      answer.resume().on('end', resolve)
    }).on('error', reject)
  })
}

async function run(line) {
  const [what, count] = line.split(' ')
  const numbers = [...Array(Number(count || 0)).keys()]
  if (what === 'open') await open()
  if (what === 'one') for (const n of numbers) await ask(n)
  if (what === 'all') await Promise.all(numbers.map(n => ask(100 + n)))
}

server.listen(0, '127.0.0.1', () => {
  console.log('ready')
  require('node:readline').createInterface({ input: process.stdin }).on('line', line => {
    run(line).then(() => console.log('done'), error => console.log(error.stack.split('\n')[0]))
  })
})
