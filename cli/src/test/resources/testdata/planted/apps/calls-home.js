'use strict';
// A package that the application uses for something harmless reports to its vendor.
const colours = require('colour-kit');

module.exports = { routes: { '/theme': async () => ({ colour: colours.pick() }) } };
