'use strict';
// Probes that the application names, each once per process.
const { library } = require('./library.js');

const NAME = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/;
// In a note every argument has its place; systemtap's header has macros for twelve, and tracers look for no more.
const MAX_ARGUMENTS = 12;

const INT64 = {
  letter: 'l',
  bytes: -8,
  wants: 'an integer of 64 bits (a number without a fraction, or a BigInt)',
  fits: (value) =>
    typeof value === 'number' ? Number.isSafeInteger(value) : typeof value === 'bigint' && BigInt.asIntN(64, value) === value,
};
const INT32 = {
  letter: 'i',
  bytes: -4,
  wants: 'an integer of 32 bits',
  fits: (value) => typeof value === 'number' && (value | 0) === value,
};
const STRING = {
  letter: 's',
  bytes: 8,
  wants: 'a string',
  fits: (value) => typeof value === 'string',
};
const TYPES = new Map([
  ['int', INT64],
  ['int64', INT64],
  ['int32', INT32],
  ['string', STRING],
]);

function nameOf(what, name) {
  if (typeof name !== 'string' || !NAME.test(name)) {
    throw new TypeError(
      `probestream: ${shown(name)} cannot be the name of a ${what}: ` +
        'it takes letters, digits and _, not a digit first, 64 characters at most',
    );
  }
  return name;
}

function typeOf(probe, name) {
  const type = TYPES.get(name);
  if (type === undefined) {
    throw new TypeError(`probestream: probe ${probe} has an argument of type ${shown(name)}: use ${[...TYPES.keys()].join(', ')}`);
  }
  return type;
}

function shown(value) {
  if (typeof value === 'object' && value !== null) return 'an object';
  if (typeof value === 'function') return 'a function';
  if (typeof value === 'string') return `'${value}'`;
  return typeof value === 'bigint' ? `${value}n` : String(value);
}

/** A probe of the application: a real USDT probe from the moment it is made. */
class UserProbe {
  #semaphore;

  constructor(name, types, semaphore, fire) {
    this.#semaphore = semaphore;
    this.name = name;
    const check = checked(name, types);
    /**
     * Fires, if somebody watches. The arguments are looked at in any case: a mistake shall show before the day on which
     * somebody attaches. Needs no `this`.
     */
    this.fire = (...values) => {
      check(values);
      if (semaphore[0] !== 0) fire(...values);
    };
  }

  /** Whether somebody watches now. To ask is cheap; it pays where an argument is costly to make. */
  get enabled() {
    return this.#semaphore[0] !== 0;
  }
}

function checked(name, types) {
  return (values) => {
    if (values.length !== types.length) {
      throw new TypeError(`probestream: probe ${name} takes ${types.length} arguments, not ${values.length}`);
    }
    for (let i = 0; i < types.length; i++) {
      if (!types[i].fits(values[i])) {
        throw new TypeError(`probestream: argument ${i + 1} of probe ${name} must be ${types[i].wants}, not ${shown(values[i])}`);
      }
    }
  };
}

class UserProbes {
  #open;
  #probes = new Map();

  /** @param open puts a library into the process and gives its semaphore and what fires it; one per name and process */
  constructor(open) {
    this.#open = open;
  }

  probe(providerName, probeName, typeNames) {
    const name = `${nameOf('provider', providerName)}:${nameOf('probe', probeName)}`;
    if (typeNames.length > MAX_ARGUMENTS) {
      throw new TypeError(`probestream: probe ${name} has ${typeNames.length} arguments: it may have ${MAX_ARGUMENTS}`);
    }
    const types = typeNames.map((typeName) => typeOf(name, typeName));
    const letters = types.map((type) => type.letter).join('');
    const known = this.#probes.get(name);
    if (known?.letters === letters) return known.probe;

    const bytes = library(process.arch, providerName, probeName, types.map((type) => type.bytes));
    const { semaphore, fire } = this.#open(name, letters, bytes);
    const probe = new UserProbe(name, types, new Uint16Array(semaphore), fire);
    this.#probes.set(name, { letters, probe });
    return probe;
  }
}

module.exports = { UserProbes };
