// Calls in every form that V8 compiles differently, in random order and depth, without an end. After a time of warming up,
// each 97th call of leaf prints V8's own text of the stack.
'use strict';
Error.stackTraceLimit = 100;
let budget = 0, count = 0;
const every = 97;
function leaf(x) {
  if (++count % every === 0 && count > 200000) { const e = new Error('x'); stop(e.stack); }
  return x & 1023;
}
class A { #p = 1; constructor(v) { this.v = v; this.w = leaf(v); }
  #priv(x) { return leaf(x + this.#p); }
  get g() { return this.#priv(this.v) + 1; }
  set s(x) { this.v = go(x); }
  static make(x) { const a = new A(x); a.s = x;
    return a; }
  m(x) { try { return this.g + go(x); } finally { leaf(x); } }
}
class B extends A { constructor(v) { super(v);
    this.z = leaf(v); }
  m(x) { return super.m(x) +
      leaf(x); }
  *gen(x) { yield leaf(x); yield* [go(x), 2]; }
  [Symbol.iterator]() { let i = 0; return { next: () => ({ done: i++ > 1, value: leaf(i) }) }; }
}
const fns = [
  x => [x, 1, 2].map(y => leaf(y) + 1).reduce((a, b) => a + leaf(b), 0),
  x => { let s = 0; [1, 2].forEach(function (y) { s += go(y + x); }); return s; },
  x => A.make(x).m(x),
  x => new B(x).m(x),
  x => { let s = 0; for (const v of new B(x).gen(x)) s += v; return s; },
  x => { let s = 0; for (const v of new B(x)) s += v; return s; },
  x => JSON.parse('[1,2]', (k, v) => k === '' ? leaf(x) : v),
  x => Reflect.apply(leaf, null, [x]) + leaf.call(null, x) + leaf.apply(null, [x]) + leaf.bind(null, x)(),
  x => Math.max(...[leaf(x), go(x)]),
  x => [3, 1, 2].sort((a, b) => (leaf(a), a - b))[0],
  x => 'abc'.replace(/b/g, () => String(leaf(x))).length,
  x => { try { throw new Error('t' + leaf(x)); } catch (e) { return go(x); } },
  x => { const p = new Proxy({}, { get: (t, k) => leaf(x) }); return p.foo + p.bar; },
  x => { let s = 0; for (let i = 0; i < 200; i++) { s += i; if (i % 50 === 0) s += leaf(i); } return s; },
  x => { const { a = leaf(x), b } = { b: go(x) }; return a + b; },
  x => `${leaf(x)}${{ toString() { return 'q' + leaf(x); } }}`.length,
  x => ({ valueOf() { return leaf(x); } }) + 1,
  x => { switch (x % 3) { case 0: return leaf(1); case 1: return leaf(2) +
      leaf(3); default: return go(x); } },
  x => (x > 5 ? leaf : go)(x),
  x => [1, 2, 3].some(y => leaf(y) === -1) || [1].find(y => leaf(y)) || [1, 2].filter(y => leaf(y)).length,
  x => Array.from([1, 2], y => leaf(y)).length + [1, [2]].flatMap(y => leaf(x)).length,
  x => { const m = new Map([[1, 2]]); m.forEach((v, k) => leaf(v)); return leaf(x); },
  x => (function inner(n) { return n ? inner(n - 1) + leaf(n) : leaf(x); })(3),
];
let seed = 1;
function go(x) {
  if (budget-- <= 0) return leaf(x);
  seed = (seed * 1103515245 + 12345) & 0x7fffffff;
  return fns[(seed >> 8) % fns.length](x & 15);
}
for (let i = 0; i < 1e9; i++) { budget = 12; go(i); }
