'use strict';
// To require or import this is all it takes for the eight probes of provider node; probe() and provider() make others.
const binding = require('./binding.js');
const { install } = require('./node-probes.js');
const { UserProbes } = require('./user-probes.js');

install(binding);
const userProbes = new UserProbes(binding.openUserProbe);

/** The probe `app:name`; see provider(). */
const probe = (name, ...types) => userProbes.probe('app', name, types);

/**
 * Whose `probe(name, ...types)` gives the probe `providerName:name`. Each argument is an 'int' (64 bits, signed; 'int64'
 * is the same), an 'int32' or a 'string'; there may be twelve.
 */
const provider = (providerName) => ({
  probe: (name, ...types) => userProbes.probe(providerName, name, types),
});

module.exports = { probe, provider };
