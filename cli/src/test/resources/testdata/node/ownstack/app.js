'use strict'
// node app.js FILE HITS: on a line of input does HITS hits (at least), in each tier of V8's compilers in turn, writes what the
// stacks were to FILE, a line of JSON each, and answers with their number.
const fs = require('fs')
const path = require('path')
const v8 = require('v8')
const vm = require('vm')
const { Worker } = require('worker_threads')
const { state } = require('./hit.js')

const [file, hits] = [process.argv[2], Number(process.argv[3])]
v8.setFlagsFromString('--expose-gc')
v8.setFlagsFromString('--compact-on-every-full-gc')
const gc = vm.runInNewContext('gc')
const natives = process.execArgv.includes('--allow-natives-syntax')
const intrinsic = text => natives ? new Function('f', text) : () => {}
const maglev = natives && Number(process.versions.node.split('.')[0]) >= 22
const never = intrinsic('%NeverOptimizeFunction(f)')
const prepare = intrinsic('%PrepareFunctionForOptimization(f)')
const tiers = {
  interpreted: { before: never, after: () => {}, warmUp: 0 },
  fresh: { before: () => {}, after: () => {}, warmUp: 0 },
  baseline: { before: prepare, after: intrinsic('%CompileBaseline(f)'), warmUp: 1 },
  ...maglev ? { maglev: { before: prepare, after: intrinsic('%OptimizeMaglevOnNextCall(f)'), warmUp: 3 } } : {},
  optimized: { before: prepare, after: intrinsic('%OptimizeFunctionOnNextCall(f)'), warmUp: 3 },
  warm: { before: () => {}, after: () => {}, warmUp: 300 },
}

async function pass(shapes) {
  for (const name in shapes) {
    state.shape = name
    await shapes[name]()
  }
}

/** The texts of hits; none is kept, so that V8 need not collect them. */
let written = 0
function write(records) {
  written += records.length
  fs.appendFileSync(file, records.map(line => JSON.stringify(line) + '\n').join(''))
}

/** What the recorded stacks refer to moves. A recorder on a busy machine needs some time to read it before. */
async function collect() {
  const { mode } = state
  state.mode = 'off'
  await new Promise(resolve => setTimeout(resolve, 1500))
  gc()
  state.mode = mode
}

function copy(name, tier) {
  const { name: base, ext } = path.parse(name)
  const target = path.join(__dirname, `${base}-${tier}${ext}`)
  fs.copyFileSync(path.join(__dirname, name), target)
  return target
}

async function load(tier) {
  const common = require(copy('shapes.js', tier))
  const module = await import(copy('module.mjs', tier))
  return { shapes: { ...common.shapes, ...module.shapes }, functions: [...common.functions, ...module.functions] }
}

/** First hits, then texts, so that V8 was never asked for a position when the stack was recorded. */
async function silently() {
  const { shapes } = require(copy('shapes.js', 'silent'))
  state.tier = 'silent'
  for (const mode of ['silent', 'texts']) {
    await new Promise(resolve => setTimeout(resolve, 500))
    state.mode = mode
    await pass(shapes)
  }
  state.mode = 'off'
}

async function inTier(tier, wanted) {
  const { before, after, warmUp } = tiers[tier]
  state.tier = tier
  state.mode = 'off'
  const { shapes, functions } = await load(tier)
  functions.forEach(before)
  for (let i = 0; i < warmUp; i++) await pass(shapes)
  functions.forEach(after)
  state.mode = 'on'
  const half = written + wanted / 2
  const end = written + wanted
  for (let isCollected = false; written < end;) {
    await pass(shapes)
    write(state.records.splice(0))
    if (written >= half && !isCollected) {
      isCollected = true
      await collect()
    }
  }
  state.mode = 'off'
}

function inWorker(passes) {
  return new Promise((resolve, reject) => {
    const worker = new Worker(path.join(__dirname, 'worker.js'), { workerData: { passes } })
    worker.on('message', resolve).on('error', reject)
    process.once('beforeExit', () => worker.terminate())
  })
}

async function main() {
  await silently()
  write(state.records.splice(0))
  write(await inWorker(2))
  const share = (hits - written) / Object.keys(tiers).length
  for (const tier in tiers) {
    await collect()
    await inTier(tier, share)
  }
  return written
}

process.stdin.once('data', () => main().then(count => console.log(count)))
console.log('ready')
