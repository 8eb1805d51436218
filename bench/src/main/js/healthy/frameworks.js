'use strict';
// Frameworks that serve articles: GET /articles?after=ID, GET /articles/ID, POST /articles with a JSON body, and
// GET /health; Apollo serves the same by GraphQL. Each "start" takes the articles of clients.js, and resolves to the
// port.
const http = require('http');
const LOOPBACK = '127.0.0.1';
const HEALTHY = { status: 'ok' };
const UNKNOWN = { error: 'no such article' };

const listening = server =>
  new Promise((done, failed) => {
    server.on('error', failed).listen(0, LOOPBACK, () => done(server.address().port));
  });

/** Both versions of Express. */
const express = name => ({
  start(articles) {
    const express = require(name);
    const app = express().use(express.json());
    const answered = work => (request, response, next) => work(request, response).catch(next);
    app.get('/health', (request, response) => response.json(HEALTHY));
    app.get('/articles', answered(async (request, response) => {
      response.json(await articles.list(Number(request.query.after)));
    }));
    app.get('/articles/:id', answered(async (request, response) => {
      const article = await articles.find(Number(request.params.id));
      response.status(article ? 200 : 404).json(article || UNKNOWN);
    }));
    app.post('/articles', answered(async (request, response) => {
      response.status(201).json(await articles.add(request.body));
    }));
    return listening(http.createServer(app));
  },
});
exports.express4 = express('express4');
exports.express5 = express('express5');

exports.fastify = {
  async start(articles) {
    const app = require('fastify')();
    app.get('/health', async () => HEALTHY);
    app.get('/articles', async request => articles.list(Number(request.query.after)));
    app.get('/articles/:id', async (request, reply) => {
      const article = await articles.find(Number(request.params.id));
      return article || reply.code(404).send(UNKNOWN);
    });
    app.post('/articles', async (request, reply) => reply.code(201).send(await articles.add(request.body)));
    await app.listen({ port: 0, host: LOOPBACK });
    return app.server.address().port;
  },
};

exports.koa = {
  start(articles) {
    const app = new (require('koa'))();
    const router = new (require('@koa/router').Router)();
    router.get('/health', context => {
      context.body = HEALTHY;
    });
    router.get('/articles', async context => {
      context.body = await articles.list(Number(context.query.after));
    });
    router.get('/articles/:id', async context => {
      const article = await articles.find(Number(context.params.id));
      context.status = article ? 200 : 404;
      context.body = article || UNKNOWN;
    });
    router.post('/articles', async context => {
      context.status = 201;
      context.body = await articles.add(context.request.body);
    });
    app.use(require('koa-bodyparser')()).use(router.routes()).use(router.allowedMethods());
    return listening(http.createServer(app.callback()));
  },
};

exports.hapi = {
  async start(articles) {
    const server = require('@hapi/hapi').server({ port: 0, host: LOOPBACK });
    server.route([
      { method: 'GET', path: '/health', handler: () => HEALTHY },
      { method: 'GET', path: '/articles', handler: request => articles.list(Number(request.query.after)) },
      {
        method: 'GET',
        path: '/articles/{id}',
        handler: async (request, toolkit) => {
          const article = await articles.find(Number(request.params.id));
          return article || toolkit.response(UNKNOWN).code(404);
        },
      },
      {
        method: 'POST',
        path: '/articles',
        handler: async (request, toolkit) => toolkit.response(await articles.add(request.payload)).code(201),
      },
    ]);
    await server.start();
    return server.info.port;
  },
};

exports.nest = {
  async start(articles) {
    require('reflect-metadata');
    const { Body, Controller, Get, Module, NotFoundException, Param, Post, Query } = require('@nestjs/common');
    class Health {
      get() {
        return HEALTHY;
      }
    }
    class Articles {
      list(after) {
        return articles.list(Number(after));
      }

      async find(id) {
        const article = await articles.find(Number(id));
        if (!article) throw new NotFoundException();
        return article;
      }

      add(article) {
        return articles.add(article);
      }
    }
    // Decorators without a compiler.
    const decorated = ({ prototype }, name, decorator) =>
      decorator(prototype, name, Object.getOwnPropertyDescriptor(prototype, name));
    decorated(Health, 'get', Get());
    Query('after')(Articles.prototype, 'list', 0);
    decorated(Articles, 'list', Get());
    Param('id')(Articles.prototype, 'find', 0);
    decorated(Articles, 'find', Get(':id'));
    Body()(Articles.prototype, 'add', 0);
    decorated(Articles, 'add', Post());
    Controller('health')(Health);
    Controller('articles')(Articles);
    class Root {}
    Module({ controllers: [Health, Articles] })(Root);
    const app = await require('@nestjs/core').NestFactory.create(Root, { logger: false });
    await app.listen(0, LOOPBACK);
    return app.getHttpServer().address().port;
  },
};

exports.hono = {
  start(articles) {
    const app = new (require('hono').Hono)();
    app.get('/health', context => context.json(HEALTHY));
    app.get('/articles', async context => context.json(await articles.list(Number(context.req.query('after')))));
    app.get('/articles/:id', async context => {
      const article = await articles.find(Number(context.req.param('id')));
      return article ? context.json(article) : context.json(UNKNOWN, 404);
    });
    app.post('/articles', async context => context.json(await articles.add(await context.req.json()), 201));
    return new Promise(done => {
      const options = { fetch: app.fetch, port: 0, hostname: LOOPBACK };
      require('@hono/node-server').serve(options, address => done(address.port));
    });
  },
};

exports.restify = {
  start(articles) {
    const restify = require('restify');
    const app = restify.createServer();
    app.use(restify.plugins.queryParser());
    app.use(restify.plugins.bodyParser());
    app.get('/health', async (request, response) => response.send(HEALTHY));
    app.get('/articles', async (request, response) => response.send(await articles.list(Number(request.query.after))));
    app.get('/articles/:id', async (request, response) => {
      const article = await articles.find(Number(request.params.id));
      response.send(article ? 200 : 404, article || UNKNOWN);
    });
    app.post('/articles', async (request, response) => response.send(201, await articles.add(request.body)));
    return listening(app);
  },
};

exports.polka = {
  start(articles) {
    const app = require('polka')({ server: http.createServer() });
    const send = (response, status, value) => {
      response.writeHead(status, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify(value));
    };
    const answered = work => (request, response) =>
      work(request, response).catch(failed => send(response, 500, { error: failed.message }));
    app.use(require('body-parser').json());
    app.get('/health', (request, response) => send(response, 200, HEALTHY));
    app.get('/articles', answered(async (request, response) => {
      send(response, 200, await articles.list(Number(request.query.after)));
    }));
    app.get('/articles/:id', answered(async (request, response) => {
      const article = await articles.find(Number(request.params.id));
      send(response, article ? 200 : 404, article || UNKNOWN);
    }));
    app.post('/articles', answered(async (request, response) => send(response, 201, await articles.add(request.body))));
    return new Promise(done => app.listen(0, LOOPBACK, () => done(app.server.address().port)));
  },
};

exports.apollo = {
  async start(articles) {
    const { ApolloServer } = require('@apollo/server');
    const typeDefs = `
      type Article { id: Int!, title: String!, price: Int! }
      type Query { health: String!, articles(after: Int!): [Article!]!, article(id: Int!): Article }
      type Mutation { add(title: String!, price: Int!): Article! }`;
    const resolvers = {
      Query: {
        health: () => HEALTHY.status,
        articles: (parent, { after }) => articles.list(after),
        article: (parent, { id }) => articles.find(id),
      },
      Mutation: { add: (parent, article) => articles.add(article) },
    };
    const { startStandaloneServer } = require('@apollo/server/standalone');
    const server = new ApolloServer({ typeDefs, resolvers });
    const { url } = await startStandaloneServer(server, { listen: { port: 0, host: LOOPBACK } });
    return Number(new URL(url).port);
  },
};
