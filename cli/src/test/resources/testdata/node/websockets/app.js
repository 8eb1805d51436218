// WebSocket servers and clients (npm "ws", node:http by hand, the client of Node itself), plain and over TLS, in one process. Its
// argument is the folder of the server's key. "open" opens a
// connection that is used later, "run" opens the others, uses and closes them all but one; it answers with a line. What "run" answers
// is what the application counted: for each end of a connection that it opened [accepted, tls, received, sent].
'use strict'
const fs = require('fs')
const http = require('http')
const https = require('https')
const path = require('path')
const { once } = require('events')
const { WebSocket: Client, WebSocketServer } = require('ws')

const SECRET = 'PLANTED'
const ends = []

function end(accepted, tls) {
  const counts = { accepted, tls, received: 0, sent: 0 }
  ends.push(counts)
  return counts
}

function serve(server, tls, options) {
  new WebSocketServer({ server, ...options }).on('connection', socket => {
    const counts = end(1, tls)
    const send = (...message) => { counts.sent++; socket.send(...message) }
    send('welcome') // in one packet with the answer, often
    socket.on('message', (data, binary) => {
      counts.received++
      if (data.length < 200_000) send(data, { binary })
    })
  })
  return once(server.listen(0, '127.0.0.1'), 'listening')
}

// What the client sends, all at once: small, empty, in pieces, larger than 64 KiB, and a ping between.
function talk(socket, counts) {
  const stream = socket._socket
  const message = (...pieces) => {
    counts.sent++
    pieces.forEach((piece, i) => socket.send(piece, { fin: i === pieces.length - 1 }))
  }
  stream?.cork()
  for (let i = 0; i < 20; i++) {
    message('small ' + SECRET)
    message('')
    message('in', ' ', 'pieces')
    message(Buffer.alloc(130, i))
    socket.ping?.()
  }
  message(Buffer.alloc(70_000, 1))
  message('behind')
  message(Buffer.alloc(90_000, 2), Buffer.alloc(65_536, 3))
  message(Buffer.alloc(200_000, 4))
  message('last')
  stream?.uncork()
}

async function until(condition) {
  while (!condition()) await new Promise(resolve => setTimeout(resolve, 5))
}

async function open(address, options, tls) {
  const counts = end(0, tls)
  const socket = new Client(address, { rejectUnauthorized: false, ...options })
  socket.on('message', () => counts.received++)
  await once(socket, 'open')
  return { socket, counts }
}

async function close(socket) {
  socket.close()
  await once(socket, 'close')
}

async function useClient(address, options, tls) {
  const { socket, counts } = await open(address, options, tls)
  talk(socket, counts)
  await until(() => counts.received === counts.sent) // all but the one of 200,000 bytes, and the welcome
  await close(socket)
}

// A frame of a client, masked with zeros.
function frame(first, size) {
  const length = Buffer.alloc(8)
  length.writeBigUInt64BE(BigInt(size))
  const header = size < 126 ? [0x80 | size] : size < 65_536 ? [0xfe, ...length.subarray(6)] : [0xff, ...length]
  return Buffer.concat([Buffer.from([first, ...header, 0, 0, 0, 0]), Buffer.alloc(size, 0x61)])
}

// One buffer with many frames, cut where it hurts.
async function useByHand(port) {
  const counts = end(0, 0)
  const request = http.get({ port, path: '/byhand', headers: {
    connection: 'upgrade', upgrade: 'websocket', 'sec-websocket-version': 13, 'sec-websocket-key': 'MDEyMzQ1Njc4OWFiY2RlZg==',
  } })
  const [, socket] = await once(request, 'upgrade')
  socket.resume()
  const server = ends.at(-1)
  const all = Buffer.concat([
    frame(0x81, 5), frame(0x82, 100_000), frame(0x89, 3), frame(0x81, 300), frame(0x01, 10), frame(0x80, 70_000), frame(0x81, 0),
  ])
  for (const [from, to] of [[0, 1], [1, 9], [9, 12], [12, 150_000], [150_000, all.length]]) {
    socket.write(all.subarray(from, to))
    await new Promise(setImmediate)
  }
  counts.sent = 5
  await until(() => server.received === 5)
  counts.received = server.sent
  socket.end(frame(0x88, 0))
  await once(socket, 'close')
}

// The client of Node 22 and later.
async function useNodes(port) {
  const counts = end(0, 0)
  const socket = new WebSocket(`ws://127.0.0.1:${port}/node`)
  socket.onmessage = () => counts.received++
  await new Promise(resolve => { socket.onopen = resolve })
  for (const message of ['a', 'b', Buffer.alloc(70_000), 'c']) {
    counts.sent++
    socket.send(message)
  }
  await until(() => counts.received === counts.sent + 1)
  socket.close()
  await new Promise(resolve => { socket.onclose = resolve })
}

async function main() {
  const plain = http.createServer()
  const pem = name => fs.readFileSync(path.join(process.argv[2], name))
  const tls = https.createServer({ key: pem('key.pem'), cert: pem('cert.pem') })
  await serve(plain, 0, { perMessageDeflate: false })
  await serve(tls, 1, { perMessageDeflate: true })
  const { port } = plain.address()
  let before
  const commands = {
    async open() {
      before = await open(`ws://127.0.0.1:${port}/before`, {}, 0)
      await until(() => before.counts.received === 1)
      ends.length = 0
      return 'opened'
    },
    async run() {
      before.socket.send('not counted')
      await until(() => before.counts.received === 2)
      await useClient(`ws://127.0.0.1:${port}/chat?token=${SECRET}`, { perMessageDeflate: false }, 0)
      await useClient(`wss://127.0.0.1:${tls.address().port}/chat`, { perMessageDeflate: false }, 1)
      await useClient(`wss://127.0.0.1:${tls.address().port}/deflated`, { perMessageDeflate: { threshold: 0 } }, 1)
      await useByHand(port)
      if (globalThis.WebSocket) await useNodes(port)
      const kept = await open(`ws://127.0.0.1:${port}/kept`, {}, 0)
      kept.counts.sent++
      kept.socket.send('kept')
      await until(() => kept.counts.received === 2)
      await close(before.socket)
      return JSON.stringify(ends)
    },
  }
  console.log('ready')
  for await (const line of require('readline').createInterface({ input: process.stdin })) {
    console.log(await commands[line]())
  }
}

main()
