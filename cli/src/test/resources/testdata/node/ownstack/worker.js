'use strict'
const { parentPort, workerData } = require('worker_threads')
const { state } = require('./hit.js')
const { shapes } = require('./shapes.js')

async function work() {
  state.mode = 'on'
  state.tier = 'worker'
  for (let pass = 0; pass < workerData.passes; pass++) {
    for (const name in shapes) {
      state.shape = name
      await shapes[name]()
    }
  }
  state.mode = 'off'
  parentPort.postMessage(state.records)
  parentPort.on('message', () => {}) // its memory goes with it
}

work()
