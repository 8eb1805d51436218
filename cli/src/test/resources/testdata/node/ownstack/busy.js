'use strict'
// Busy with different things by turns while V8's own profiler looks on, from the start, so that it knows which functions are
// inlined: 'now' prints V8's time in microseconds, 'stop FILE' writes V8's profile.
const fs = require('fs')
if (+process.versions.node.split('.')[0] >= 22) require('v8').setFlagsFromString('--no-maglev-inlining')
const { Session } = require('inspector')

const numbers = Array.from({ length: 3000 }, (_, i) => (i * 7919) % 3001)
const text = JSON.stringify(numbers.slice(0, 600).map(n => ({ n, name: 'item ' + n })))
const words = numbers.map(n => 'word' + n)

class Matrix {
  constructor(size) { this.size = size; this.cells = new Float64Array(size * size).fill(1.5) }
  at(row, column) { return this.cells[row * this.size + column] }
  multiply(other) {
    const { size } = this
    let sum = 0
    for (let i = 0; i < size; i++) for (let j = 0; j < size; j++) for (let k = 0; k < size; k++) sum += this.at(i, k) * other.at(k, j)
    return sum
  }
}

function sieve(limit) {
  const isComposite = new Uint8Array(limit)
  let count = 0
  for (let i = 2; i < limit; i++) {
    if (isComposite[i]) continue
    count++
    for (let j = i * i; j < limit; j += i) isComposite[j] = 1
  }
  return count
}
function fibonacci(n) { return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2) }
function parses() { return JSON.parse(text).length }
function sorts() { return numbers.slice().sort((a, b) => a - b)[0] }
function hashes(of) {
  let hash = 0
  for (let i = 0; i < of.length; i++) hash = (hash * 31 + of.charCodeAt(i)) | 0
  return hash
}
function counts() {
  const seen = new Map()
  for (const word of words) seen.set(word, (seen.get(word) ?? 0) + 1)
  return seen.size
}
const matches = () => words.filter(word => /d(\d)\1/.test(word)).length
function* walks(n) { for (let i = 0; i < n; i++) yield i }
function generates() { let sum = 0; for (const i of walks(20000)) sum += i; return sum }
function bubbles() {
  const copy = numbers.slice(0, 700)
  for (let i = 0; i < copy.length; i++) {
    for (let j = 0; j + 1 < copy.length - i; j++) {
      if (copy[j] > copy[j + 1]) [copy[j], copy[j + 1]] = [copy[j + 1], copy[j]]
    }
  }
  return copy[0]
}

const matrix = new Matrix(70)
let isBusy = true, sink = 0
function turn() {
  sink += matrix.multiply(matrix) + sieve(200000) + fibonacci(20) + parses() + sorts() + counts() + matches() + generates() + bubbles()
  for (let i = 0; i < 10; i++) sink += hashes(text)
  if (isBusy) setImmediate(turn)
}

const session = new Session()
session.connect()
session.post('Profiler.enable')
session.post('Profiler.start')
const commands = {
  now() { console.log(String(process.hrtime.bigint() / 1000n)) },
  stop(file) {
    session.post('Profiler.stop', (error, { profile }) => {
      fs.writeFileSync(file, JSON.stringify(profile))
      console.log('stopped')
    })
  },
}
process.stdin.on('data', line => {
  const [name, ...rest] = line.toString().trim().split(' ')
  commands[name](...rest)
})
turn()
console.log('ready')
