'use strict';
const { DatabaseSync } = require('node:sqlite');
const { createServer } = require('node:http');
const { parseArgs } = require('node:util');
const { AUTHORIZATION, TOKEN } = require('../workload.js');
const { serve } = require('./serve.js');

// `reads.js --with ours --contract FILE --database FILE`: one of four servers of parts/reads.js, on the same file and SQL.

const ONE = 'SELECT id, name, tag FROM plants WHERE id = $id';
const PAGE = 'SELECT id, name, tag FROM plants WHERE id > $after ORDER BY id LIMIT $limit';
const string = { type: 'string' };
const options = { with: string, contract: string, database: string };
const { with: which, contract, database: file } = parseArgs({ options }).values;

/** What a handler does by default: a statement on the main thread, with doubles. */
function openReader() {
  const database = new DatabaseSync(file, { readOnly: true });
  const [one, page] = [ONE, PAGE].map((sql) => database.prepare(sql));
  return { one: (id) => one.get({ id }), page: (after, limit) => page.all({ after, limit }) };
}

const SERVERS = {
  async ours() {
    const { createHash } = require('node:crypto');
    const { readFileSync } = require('node:fs');
    const express = require('express');
    const {
      createCatalogueRenderer,
      createServer: createContractServer,
      loadContract,
      serveContract,
    } = require('../../../packages/server/dist/index.js');
    const { expressOpenapiValidator } = require('../../../packages/server/dist/express-openapi-validator.js');
    const { openStore } = require('../../../packages/store/dist/index.js');
    const { plantSchema } = require('../../../dist/store/plant-schema.js');
    const { errors } = require('../../../generated/contract.js');
    const store = await openStore({ file }, plantSchema);
    const toItem = ({ id, name, tag }) => ({ id, name, tag });
    const sqls = [ONE.replace('$id', '$1'), PAGE.replace('$after', '$1').replace('$limit', '$2')];
    const parts = {
      contract: loadContract(contract, createHash('sha256').update(readFileSync(contract)).digest('hex')),
      validator: expressOpenapiValidator,
      handlers: {
        async readPlant({ path }, reply) {
          const [plant] = await store.read({ sql: sqls[0], values: [path.id], toItem });
          return reply(200, plant);
        },
        async listPlants({ query: { after, limit } }, reply) {
          return reply(200, await store.read({ sql: sqls[1], values: [after, BigInt(limit)], toItem }));
        },
      },
      verifiers: { bearerAuth: (credentials) => (credentials === TOKEN ? {} : undefined) },
      render: createCatalogueRenderer(errors),
      prefix: '',
      bodyLimit: 1024 ** 2,
      isUnavailable: () => false,
      report: () => undefined,
    };
    const app = express().disable('x-powered-by');
    app.use(await serveContract(parts));
    return createContractServer(app, parts);
  },
  async fastify() {
    const { default: fastify } = require('fastify');
    const { one, page } = openReader();
    const app = fastify({ ajv: { customOptions: { strict: false } } });
    await app.register(require('fastify-openapi-glue').default, {
      specification: contract,
      securityHandlers: {
        async bearerAuth({ headers }) {
          if (headers.authorization !== AUTHORIZATION) throw new Error('The token is not accepted');
        },
      },
      serviceHandlers: {
        readPlant: async ({ params }) => one(params.id),
        listPlants: async ({ query: { after, limit } }) => page(after, limit),
      },
    });
    await app.ready();
    return app.server;
  },
  eov() {
    const express = require('express');
    const { middleware } = require('express-openapi-validator');
    const { one, page } = openReader();
    const handlers = { bearerAuth: (req) => req.headers.authorization === AUTHORIZATION };
    const app = express();
    app.use(middleware({ apiSpec: contract, validateResponses: true, validateSecurity: { handlers } }));
    app.get('/plants/:id', (req, res) => res.json(one(req.params.id)));
    app.get('/plants', (req, res) => res.json(page(req.query.after, req.query.limit)));
    return createServer(app);
  },
  node() {
    const { one, page } = openReader();
    return createServer(({ url }, res) => {
      const [, id] = /^\/plants\/(\d+)$/.exec(url) ?? [];
      const query = new URLSearchParams(url.split('?')[1]);
      const value = id ? one(Number(id)) : page(Number(query.get('after')), Number(query.get('limit')));
      const text = JSON.stringify(value);
      res.writeHead(200, { 'Content-Type': 'application/json', 'Content-Length': Buffer.byteLength(text) }).end(text);
    });
  },
};

void Promise.resolve(SERVERS[which]()).then(serve);
