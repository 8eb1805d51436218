'use strict';
// Logins, faster than any machine checks them, keep all threads of the pool busy; avatars, which are files, wait for one.
const { verifyPassword } = require('../lib/auth');
const { writeAvatar, readAvatar } = require('../lib/avatar');

const routes = {
  '/login': async () => ({ token: (await verifyPassword('secret', 120000)).toString('hex') }),
  '/avatar': async () => ({ length: (await readAvatar()).length }),
};

module.exports = { routes, prepare: writeAvatar };
