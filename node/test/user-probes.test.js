'use strict';
const assert = require('node:assert');
const test = require('node:test');
const binding = require('../lib/binding.js');
const { UserProbes } = require('../lib/user-probes.js');
const { probe, provider } = require('../lib/index.js');

/** Probes that nobody put into a process: what is fired stands in `fired`. */
function unloaded() {
  const semaphore = new ArrayBuffer(2);
  const fired = [];
  const probes = new UserProbes((name, letters) => ({ semaphore, fire: (...values) => fired.push([name, letters, values]) }));
  return { probes, fired, semaphore: new Uint16Array(semaphore) };
}

test('a probe fires while somebody watches', () => {
  const { probes, fired, semaphore } = unloaded();
  const checkout = probes.probe('shop', 'checkout', ['int', 'string', 'int32']);

  assert.strictEqual(checkout.enabled, false);
  checkout.fire(1, 'a', 2);
  semaphore[0] = 1;
  assert.strictEqual(checkout.enabled, true);
  checkout.fire(2 ** 53 - 1, '', -(2 ** 31));
  checkout.fire(-(2n ** 63n), 'ü', 0);
  semaphore[0] = 0;
  checkout.fire(3, 'c', 4);

  assert.deepStrictEqual(fired, [
    ['shop:checkout', 'lsi', [2 ** 53 - 1, '', -(2 ** 31)]],
    ['shop:checkout', 'lsi', [-(2n ** 63n), 'ü', 0]],
  ]);
});

test('what is no value of its type is refused, watched or not', () => {
  const { probes } = unloaded();
  const { fire } = probes.probe('shop', 'checkout', ['int', 'int32', 'string']);
  const refuses = (values, message) => assert.throws(() => fire(...values), { name: 'TypeError', message });

  refuses(['1', 1, ''], /^probestream: argument 1 of probe shop:checkout must be an integer of 64 bits .*, not '1'$/);
  refuses([1.5, 1, ''], /argument 1 .*, not 1.5$/);
  refuses([NaN, 1, ''], /argument 1 .*, not NaN$/);
  refuses([2 ** 53, 1, ''], /argument 1 .*, not 9007199254740992$/);
  refuses([2n ** 63n, 1, ''], /argument 1 .*, not 9223372036854775808n$/);
  refuses([1, 2 ** 31, ''], /argument 2 of probe shop:checkout must be an integer of 32 bits, not 2147483648$/);
  refuses([1, 1n, ''], /argument 2 .*, not 1n$/);
  refuses([1, 1, undefined], /argument 3 of probe shop:checkout must be a string, not undefined$/);
  refuses([1, 1, Symbol('s')], /argument 3 .*, not Symbol\(s\)$/);
  refuses([1, 1, Object.create(null)], /argument 3 .*, not an object$/);
  refuses([1, 1], /^probestream: probe shop:checkout takes 3 arguments, not 2$/);
  refuses([1, 1, '', ''], /takes 3 arguments, not 4$/);
});

test('types and names are checked when a probe is made', () => {
  assert.throws(() => probe('checkout', 'float'), {
    name: 'TypeError',
    message: "probestream: probe app:checkout has an argument of type 'float': use int, int64, int32, string",
  });
  assert.throws(() => probe('check out'), { name: 'TypeError', message: /^probestream: 'check out' cannot be the name of a probe/ });
  assert.throws(() => probe(), { name: 'TypeError', message: /undefined cannot be the name of a probe/ });
  assert.throws(() => provider('a:b').probe('c'), { name: 'TypeError', message: /'a:b' cannot be the name of a provider/ });
  assert.throws(() => probe('many', ...Array(13).fill('int')), { name: 'TypeError', message: /has 13 arguments: it may have 12$/ });
});

test('a name is one probe, whoever asks for it', () => {
  const first = probe('twice', 'int', 'string');

  assert.strictEqual(probe('twice', 'int64', 'string'), first);
  assert.notStrictEqual(provider('other').probe('twice', 'int', 'string'), first);
  assert.throws(() => probe('twice', 'int'), {
    message: 'probestream: probe app:twice is there already, with arguments of other types',
  });
});

test('the values of twelve arguments survive the way to the probe', () => {
  const types = ['int', 'int32', ...Array(10).fill('string')];
  const wide = probe('wide', ...types);
  // The same memory that the probe looks at.
  const semaphore = new Uint16Array(binding.openUserProbe('app:wide', 'li' + 's'.repeat(10), Buffer.alloc(0)).semaphore);

  semaphore[0] = 1;
  assert.strictEqual(wide.enabled, true);
  wide.fire(2n ** 63n - 1n, -1, ...Array(10).fill('€'.repeat(100_000)));
  wide.fire(-1, -1, ...Array(10).fill('\ud800'));
  semaphore[0] = 0;
});

test('hundreds of probes live side by side', () => {
  const many = Array.from({ length: 300 }, (_, i) => probe(`many_${i}`, 'int'));
  for (const [i, one] of many.entries()) {
    const { semaphore } = binding.openUserProbe(`app:many_${i}`, 'l', Buffer.alloc(0));
    new Uint16Array(semaphore)[0] = 1;
    assert.deepStrictEqual([one.enabled, many[i + 1]?.enabled ?? false], [true, false]);
  }
});
