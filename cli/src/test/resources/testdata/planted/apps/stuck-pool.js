'use strict';
// Pages that read a pipe into which nobody writes keep all threads of the pool; avatars wait for ever.
const { makePipe, readEvents } = require('../lib/pipe');
const { writeAvatar, readAvatar } = require('../lib/avatar');

const answered = (work) => {
  work.catch(() => {});
  return { isAsked: true };
};
const routes = {
  '/events': async () => answered(readEvents()),
  '/avatar': async () => answered(readAvatar()),
};

module.exports = {
  routes,
  prepare: async () => {
    makePipe();
    writeAvatar();
  },
};
