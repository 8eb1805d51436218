'use strict'
// One hit of the probe on uv_fs_write, whose position in the file is the hit's number, beside V8's own text of the stack at
// the same call. V8 computes positions of calls when Error.stack is first asked for: half of the hits come before the text,
// and those of the mode 'silent' long before it: their texts are taken by the mode 'texts', in the same order.
const fs = require('fs')
const { threadId } = require('worker_threads')

Error.stackTraceLimit = Infinity
const DOT = Buffer.from('.')
const nowhere = fs.openSync('/dev/null', 'w')
const state = { mode: 'off', shape: '', tier: '', next: (threadId + 1) * 2 ** 32, records: [], silent: [] }

function hit() {
  const mode = state.mode
  const id = mode === 'off' ? -1 : mode === 'texts' ? state.silent.shift() : state.next++
  if (mode === 'silent') {
    fs.writeSync(nowhere, DOT, 0, 1, id)
    state.silent.push(id)
  } else if (mode === 'texts') {
    add(id, new Error().stack, anonymous())
  } else if (id % 2 === 0) {
    const text = new Error().stack
    fs.writeSync(nowhere, DOT, 0, 1, id)
    add(id, text, anonymous())
  } else {
    fs.writeSync(nowhere, DOT, 0, 1, id)
    if (mode !== 'off') add(id, new Error().stack, anonymous())
  }
}

/** Which frames are of functions without a name: the text then has the property by which the function was called. */
function anonymous() {
  Error.prepareStackTrace = (error, sites) => sites.slice(1).map(site => !site.getFunctionName())
  const frames = new Error().stack
  Error.prepareStackTrace = undefined
  return frames
}

function add(id, stack, anonymous) {
  state.records.push({ id, mode: state.mode, tier: state.tier, shape: state.shape, stack, anonymous })
}

module.exports = { hit, state }
