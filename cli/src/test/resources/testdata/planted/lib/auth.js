'use strict';
const crypto = require('crypto');
const util = require('util');

const pbkdf2 = util.promisify(crypto.pbkdf2);

// The planted cause where there are many: each keeps a thread of the pool busy for a good while.
function verifyPassword(password, iterations) {
  return pbkdf2(password, 'a salt', iterations, 64, 'sha512');
}

module.exports = { verifyPassword };
