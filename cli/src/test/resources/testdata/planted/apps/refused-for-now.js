'use strict';
// The backend asks for fewer requests (429); the application sends them again at once.
const { trackParcel } = require('../lib/parcels');

module.exports = { routes: { '/parcel/': trackParcel } };
