'use strict';
// Frameworks that answer GET /CLIENT/NUMBER. Each "start" takes what serves such a request (an async function of both, or with a third
// argument one that calls it back), and whether a middleware sleeps before it; it resolves to the port.
const sleep = () => new Promise(done => setTimeout(done, 3));
const LOOPBACK = '127.0.0.1';

const listening = server =>
  new Promise((done, failed) => {
    server.on('error', failed).listen(0, LOOPBACK, () => done(server.address().port));
  });

exports.express4 = {
  start(serve, sleeps) {
    const app = require('express4')();
    if (sleeps) {
      app.use(async (request, response, next) => {
        await sleep();
        next();
      });
    }
    app.get('/:client/:number', (request, response, next) => {
      const { client, number } = request.params;
      const serving = serve(client, number, () => response.send('done'));
      if (serving) serving.then(() => response.send('done'), next);
    });
    return listening(require('http').createServer(app));
  },
};

exports.express5 = {
  start(serve, sleeps) {
    const app = require('express5')();
    if (sleeps) {
      app.use(async (request, response, next) => {
        await sleep();
        next();
      });
    }
    app.get('/:client/:number', async (request, response) => {
      await serve(request.params.client, request.params.number);
      response.send('done');
    });
    return listening(require('http').createServer(app));
  },
};

exports.fastify = {
  since: 20,
  async start(serve, sleeps) {
    const app = require('fastify')();
    if (sleeps) {
      app.addHook('preHandler', async () => {
        await sleep();
      });
    }
    app.get('/:client/:number', async request => {
      await serve(request.params.client, request.params.number);
      return 'done';
    });
    await app.listen({ port: 0, host: LOOPBACK });
    return app.server.address().port;
  },
};

exports.koa = {
  start(serve, sleeps) {
    const app = new (require('koa'))();
    if (sleeps) {
      app.use(async (context, next) => {
        await sleep();
        await next();
      });
    }
    app.use(async context => {
      const [, client, number] = context.path.split('/');
      await serve(client, number);
      context.body = 'done';
    });
    return listening(require('http').createServer(app.callback()));
  },
};

exports.hapi = {
  async start(serve, sleeps) {
    const server = require('@hapi/hapi').server({ port: 0, host: LOOPBACK });
    if (sleeps) {
      server.ext('onPreHandler', async (request, toolkit) => {
        await sleep();
        return toolkit.continue;
      });
    }
    server.route({
      method: 'GET',
      path: '/{client}/{number}',
      handler: async request => {
        await serve(request.params.client, request.params.number);
        return 'done';
      },
    });
    await server.start();
    return server.info.port;
  },
};

exports.nest = {
  since: 20,
  async start(serve, sleeps) {
    require('reflect-metadata');
    const { Controller, Get, Module, Param } = require('@nestjs/common');
    class Work {
      async get(client, number) {
        await serve(client, number);
        return 'done';
      }
    }
    // Decorators without a compiler.
    Param('client')(Work.prototype, 'get', 0);
    Param('number')(Work.prototype, 'get', 1);
    Get(':client/:number')(Work.prototype, 'get', Object.getOwnPropertyDescriptor(Work.prototype, 'get'));
    Controller()(Work);
    class Root {}
    Module({ controllers: [Work] })(Root);
    const app = await require('@nestjs/core').NestFactory.create(Root, { logger: false });
    if (sleeps) {
      app.use(async (request, response, next) => {
        await sleep();
        next();
      });
    }
    await app.listen(0, LOOPBACK);
    return app.getHttpServer().address().port;
  },
};

exports.hono = {
  start(serve, sleeps) {
    const app = new (require('hono').Hono)();
    if (sleeps) {
      app.use(async (context, next) => {
        await sleep();
        await next();
      });
    }
    app.get('/:client/:number', async context => {
      await serve(context.req.param('client'), context.req.param('number'));
      return context.text('done');
    });
    return new Promise(done => {
      require('@hono/node-server').serve({ fetch: app.fetch, port: 0, hostname: LOOPBACK }, address => done(address.port));
    });
  },
};
