'use strict'
// Functions of every kind, each with a hit inside. Copied and loaded once for each tier: functions of a copy share no code.
const vm = require('vm')
const { EventEmitter } = require('events')
const { hit } = require('./hit.js')

const tick = () => new Promise(resolve => setImmediate(resolve))

class Shape {
  #secret() { hit() }
  static #hidden() { hit() }
  field = 1
  arrow = () => { hit() }
  constructor(isLoud) { if (isLoud) hit() }
  method() { hit() }
  throughPrivate() { this.#secret() }
  static throughHidden() { Shape.#hidden() }
  static assist() { hit() }
  get area() { hit(); return 1 }
  set area(value) { hit() }
  static get unit() { hit(); return 1 }
  get #inner() { hit(); return 1 }
  throughPrivateGetter() { return this.#inner }
  async later() { await null; hit() }
  *pieces() { hit(); yield 1; hit() }
  [Symbol.iterator]() { hit(); return [][Symbol.iterator]() }
  ['comp' + 'uted']() { hit() }
}

class Square extends Shape {
  constructor() { super(true) }
  method() {
    super.method()
    hit()
  }
}

function Old() { hit() }
Old.prototype.method = function () { hit() }
Old.prototype.named = function ownName() { hit() }
Old.nested = { deep: { call() { hit() }, arrow: () => hit(), anonymous: (() => function () { hit() })() } }

function add(a, b) { hit(); return a + b }
function addTwice(a, b) { return add(a, b) + 1 }
function addThrice(a, b) {
  return addTwice(a,
    b) +
    1
}
const arrow = x => addThrice(x, 1)
const block = x => {
  const inner = y => {
    hit()
    return y
  }
  return inner(x)
}
function counter() {
  let count = 0
  return function () { hit(); return ++count }
}
const count = counter()
function recursive(n) { if (n === 0) hit(); else recursive(n - 1) }
function even(n) { if (n === 0) hit(); else odd(n - 1) }
function odd(n) { even(n - 1) }
function* inner() { hit(); yield 1 }
function* outer() { yield* inner(); hit() }
function größe() { hit() }
function 测量(数) { größe(); hit() }
const 𝒳 = () => 测量(1)
function thisIsAFunctionWhoseNameIsSoLongThatItDoesNotFitIntoAnyBufferOfAReasonableSizeButV8DoesNotMindAndPrintsItAsItStandsHereToTheVeryLastLetterWhichIsThisOne() { hit() }
function defaults(a = (() => { hit(); return 1 })()) { return a }
function catches() { try { throw new TypeError('planned') } catch { hit() } finally { hit() } }
function switches(kind) {
  switch (kind) {
    case 1: return hit()
    default: return hit()
  }
}
function loops() { for (let i = 0; i < 3; i++) if (i === 2) hit() }
function template(strings, value) { hit(); return value }
function sloppyArguments() { return add.apply(undefined, arguments) }

async function leaf() { await null; hit() }
async function middle() { await leaf(); hit() }
async function top_() { await middle(); hit() }
const asyncArrow = async () => { await top_() }
async function afterTimer() { await tick(); hit() }
async function all() { await Promise.all([tick(), leaf(), afterTimer()]) }
async function settled() { await Promise.allSettled([leaf()]) }
async function any() { await Promise.any([leaf()]) }
async function caught() { try { await Promise.reject(new Error('planned')) } catch { hit() } }
async function* stream() { yield 1; await null; hit(); yield 2 }
async function reads() { for await (const piece of stream()) if (piece === 2) hit() }
async function returned() { return await leaf() }
async function thenable() { await { then(resolve) { hit(); resolve(1) } } }
function thens() { return Promise.resolve(1).then(x => { hit(); return leaf() }).finally(() => hit()) }

const scripts = {
  named: new vm.Script('(function (hit) {\n  function inScript() { hit() }\n  inScript()\n})',
    { filename: '/opt/scripts/named.js', lineOffset: 40, columnOffset: 7 }).runInThisContext(),
  concatenated: vm.runInThisContext('(function scripted(hit) { hit() })', { filename: '/opt/' + process.pid + '/' + 'ж'.repeat(20) + '.js' }),
  context: vm.runInContext('(function inContext(hit) { [1].forEach(() => hit()) })', vm.createContext({}), 'context.js'),
  compiled: vm.compileFunction('hit()\n', ['hit'], { filename: 'compiled.js' }),
  made: new Function('hit', 'first', 'return [1].map(function made() { hit(); return 2 })'),
  longName: vm.runInThisContext('(function ' + 'n'.repeat(700) + '(hit) { hit() })', 'long.js'),
  evaluated: eval('(function evaluated(hit) { hit() })'),
  indirect: (0, eval)('(function indirect(hit) { hit() })\n//# sourceURL=by-comment.js'),
}
const emitter = new EventEmitter().on('it', function listener() { hit() })
const proxy = new Proxy({}, { get(target, key) { hit(); return 1 }, has() { hit(); return true } })
const shape = new Shape(false)
const square = new Square()

const plain = {
  method: () => shape.method(),
  privateMethod: () => shape.throughPrivate(),
  privateStatic: () => Shape.throughHidden(),
  privateGetter: () => shape.throughPrivateGetter(),
  staticMethod: () => Shape.assist(),
  constructor_: () => new Shape(true),
  derived: () => new Square(),
  superMethod: () => square.method(),
  getter: () => shape.area,
  setter: () => { shape.area = 2 },
  staticGetter: () => Shape.unit,
  arrowField: () => shape.arrow(),
  generatorMethod: () => [...shape.pieces()],
  iterator: () => [...shape],
  computed: () => shape.computed(),
  staticBlock() { return class { static value = add(1, 2); static { hit() } field = 1 } },
  fieldInitializer() { return new class Filled { value = add(1, 2) }() },
  old: () => new Old(),
  prototypeMethod: () => Old.prototype.method(),
  prototypeNamed: () => Old.prototype.named(),
  nested: () => { Old.nested.deep.call(); Old.nested.deep.arrow(); Old.nested.deep.anonymous() },
  inlined: () => addThrice(1, 2),
  arrows: () => arrow(1),
  blocks: () => block(1),
  closure: () => count(),
  recursion: () => recursive(20),
  deepRecursion: () => recursive(45),
  mutual: () => even(20),
  generators: () => [...outer()],
  twoBytes: () => 𝒳(),
  longName: () => thisIsAFunctionWhoseNameIsSoLongThatItDoesNotFitIntoAnyBufferOfAReasonableSizeButV8DoesNotMindAndPrintsItAsItStandsHereToTheVeryLastLetterWhichIsThisOne(),
  defaults: () => defaults(),
  catches: () => catches(),
  switches: () => { switches(1); switches(2) },
  loops: () => loops(),
  template: () => template`a${1}b`,
  rest: () => sloppyArguments(1, 2),
  vmNamed: () => scripts.named(hit),
  vmConcatenated: () => scripts.concatenated(hit),
  vmContext: () => scripts.context(hit),
  vmCompiled: () => scripts.compiled(hit),
  newFunction: () => scripts.made(hit),
  nameOf700: () => scripts.longName(hit),
  evaluated: () => scripts.evaluated(hit),
  indirectEval: () => scripts.indirect(hit),
  freshEval: () => eval('1;\n(function fresh() { hit() })()'),
  freshFunction: () => new Function('hit', '\n  hit()')(hit),
  map: () => [1].map(x => addTwice(x, 1)),
  forEach: () => [1].forEach(function visit() { hit() }),
  reduce: () => [1, 2].reduce((a, b) => { hit(); return a }),
  sort: () => [2, 1].sort((a, b) => { hit(); return a - b }),
  typedSort: () => new Float64Array([2, 1]).sort((a, b) => { hit(); return a - b }),
  from: () => Array.from({ length: 1 }, () => hit()),
  mapForEach: () => new Map([[1, 1]]).forEach(() => hit()),
  replace: () => 'abc'.replace(/b/g, () => { hit(); return 'x' }),
  replaceText: () => 'abc'.replace('b', () => { hit(); return 'x' }),
  reviver: () => JSON.parse('{"a":1}', function revive(key, value) { if (key === 'a') hit(); return value }),
  toJson: () => JSON.stringify({ toJSON() { hit(); return 1 } }),
  reflectApply: () => Reflect.apply(add, undefined, [1, 2]),
  reflectConstruct: () => Reflect.construct(Shape, [true]),
  bound: () => add.bind(null, 1)(2),
  callAndApply: () => { add.call(null, 1, 2); add.apply(null, [1, 2]) },
  proxyGet: () => proxy.x,
  proxyHas: () => 'x' in proxy,
  toPrimitive: () => 1 + { valueOf() { hit(); return 1 } },
  toText: () => `${{ toString() { hit(); return '' } }}`,
  assign: () => Object.assign({}, { get copied() { hit(); return 1 } }),
  clone: () => structuredClone({ get cloned() { hit(); return 1 } }),
  executor: () => new Promise(resolve => { hit(); resolve() }),
  emit: () => emitter.emit('it'),
}

const async_ = {
  afterAwait: () => leaf(),
  chain: () => top_(),
  asyncArrow,
  asyncMethod: () => shape.later(),
  timer: afterTimer,
  all,
  settled,
  any,
  caught,
  reads,
  returned,
  thenable,
  thens,
  microtask: () => new Promise(resolve => queueMicrotask(() => { hit(); resolve() })),
  nextTick: () => new Promise(resolve => process.nextTick(() => { hit(); resolve() })),
  immediate: () => new Promise(resolve => setImmediate(() => { hit(); resolve() })),
  file: () => new Promise(resolve => require('fs').stat('/', () => { hit(); resolve() })),
}

// What V8's intrinsics compile: closures that are made inside others are left to V8 itself.
const functions = [add, addTwice, addThrice, arrow, block, count, recursive, even, odd, inner, outer, größe, 测量, 𝒳, defaults,
  catches, switches, loops, template, sloppyArguments, leaf, middle, top_, asyncArrow, afterTimer, all, settled, any, caught,
  stream, reads, returned, thenable, thens, Old, Old.prototype.method, Old.prototype.named, ...Object.values(Old.nested.deep),
  ...Object.values(scripts), ...Object.values(plain), ...Object.values(async_), shape.arrow,
  ...[Shape, Square, Shape.prototype, Square.prototype].flatMap(owner => Object.values(Object.getOwnPropertyDescriptors(owner)))
    .flatMap(({ value, get, set }) => [value, get, set])].filter(value => typeof value === 'function')

module.exports = { shapes: { ...plain, ...async_ }, functions }
