'use strict';
// Nothing wrong: files are read asynchronously, connections are used again, logins are few and short.
const http = require('http');
const { askBackend } = require('../lib/backend');
const { verifyPassword } = require('../lib/auth');
const { writeAvatar, readAvatar } = require('../lib/avatar');

const agent = new http.Agent({ keepAlive: true });
const routes = {
  '/health': async () => ({ isWell: true }),
  '/avatar': async () => ({ length: (await readAvatar()).length }),
  '/price': async () => askBackend(agent, '127.0.0.1'),
  '/login': async () => ({ token: (await verifyPassword('secret', 2000)).toString('hex') }),
};

module.exports = { routes, prepare: writeAvatar };
