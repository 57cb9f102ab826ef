import { readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import express, { type Express } from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import { load } from 'js-yaml';
import request from 'supertest';
import { listenOnLoopback } from '../../../../tests/support/listen-on-loopback';
import { loadText } from '../../../../tests/support/load-text';
import { until } from '../../../../tests/support/until';
import { createTokenVerifier } from '../../src/auth/tokens';
import type { ServiceOptions } from '../../src/pipeline/serve-contract';
import { createLog } from '../../src/runtime/log';
import { createHalf, createWatched, createWhole } from '../from-eov';
import { TOKEN } from '../start-things';

const PAGE = readFileSync('docs/from-express-openapi-validator.md', 'utf8');
const CONTRACT = `openapi: 3.0.3
info: { title: Plants, version: 1.0.0 }
security: [{ bearerAuth: [] }]
paths:
  /plants/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: findPlant, responses: { '200': { $ref: '#/components/responses/Plant' } } }
    put:
      operationId: putPlant
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } } }
      responses: { '200': { $ref: '#/components/responses/Plant' } }
components:
  securitySchemes: { bearerAuth: { type: http, scheme: bearer } }
  responses: { Plant: { description: A plant., content: { application/json: { schema: { $ref: '#/components/schemas/Plant' } } } } }
  schemas: { Plant: { type: object, required: [name], properties: { name: { type: string } } } }
`;
/** More than the contract declares. */
const ROSE = { name: 'Rose', secret: true };

/** The application of old: EOV as its documentation has it, and two routes. */
function createRoutes(): express.Router {
  const routes = express.Router();
  const apiSpec = load(CONTRACT) as Parameters<typeof OpenApiValidator.middleware>[0]['apiSpec'];
  const securityHandlers = { bearerAuth: () => true };
  routes.use(OpenApiValidator.middleware({ apiSpec, validateSecurity: { handlers: securityHandlers } }));
  routes.all('/plants/:id', (_req, res) => {
    res.json({ ...ROSE, by: 'a route' });
  });
  return routes;
}

type Create = (options: ServiceOptions, routes: express.Router) => Promise<Express>;

async function start(create: Create) {
  const lines: string[] = [];
  const handler = (_: never, reply: (...args: unknown[]) => unknown): unknown => reply(200, ROSE);
  const options: ServiceOptions = {
    contract: loadText(CONTRACT),
    validator: OpenApiValidator,
    handlers: { findPlant: handler, putPlant: handler },
    verifiers: { bearerAuth: createTokenVerifier([TOKEN]) },
    log: createLog('info', { write: (line) => lines.push(line) }),
  };
  const listening = await listenOnLoopback(createServer(await create(options, createRoutes())));
  const send = (method: 'get' | 'put', path = '/plants/1'): request.Test =>
    request(listening.server)
      [method](path)
      .auth(TOKEN, { type: 'bearer' })
      .send(method === 'put' ? { name: 'Rose' } : undefined);
  const findRules = (): string[] =>
    lines.flatMap((line) => /"operation":"(\w+)".*"rule":"(\w+)"/.exec(line)?.slice(1).join(' ') ?? []);
  return { ...listening, send, findRules };
}

test('step 1: all is answered as before, and what is wrong is told', async () => {
  await using app = await start(createWatched);
  await app.send('get').expect(200, { ...ROSE, by: 'a route' });
  await app.send('put').expect(200, { ...ROSE, by: 'a route' });
  await app.send('get', '/plants/x').expect(400);
  await until(() => app.findRules().includes('findPlant type'));
  expect(app.findRules()).toEqual(
    expect.arrayContaining(['findPlant undeclared', 'putPlant undeclared', 'findPlant type']),
  );
});

test('step 2: one operation is answered by its handler, and one by its route', async () => {
  await using app = await start(createHalf);
  await app.send('get').expect(200, { ...ROSE, by: 'a route' });
  await app.send('put').expect(200, ROSE);
  await app.send('get', '/plants/x').expect(400);
  await request(app.server).get('/plants/1').expect(401);
  await until(() => app.findRules().length >= 2);
  expect(
    app
      .findRules()
      .filter((rule) => rule.endsWith('undeclared'))
      .sort(),
  ).toEqual(['findPlant undeclared', 'putPlant undeclared']);
});

test('step 3: handlers answer with what is declared', async () => {
  await using app = await start(createWhole);
  await app.send('get', '/plants/1?more=1').expect(200, { name: 'Rose' });
  await app.send('put').expect(200, { name: 'Rose' });
});

test('the page shows the tested code', () => {
  const code = readFileSync('packages/server/tests/from-eov.ts', 'utf8');
  expect(PAGE).toContain(`\`\`\`ts\n${code}\`\`\`\n`);
});

test('the page names every option of express-openapi-validator', () => {
  const types = readFileSync('node_modules/express-openapi-validator/dist/framework/types.d.ts', 'utf8');
  const declared = types.match(/(?:interface OpenApiValidatorOpts|type Validate\w+Opts =) \{.*?^\}/gms) ?? [];
  const names = declared.flatMap((text) =>
    [...text.matchAll(/^ {4}([$\w]+)\??:/gm)].map(([, name]) => `\`${String(name)}\``),
  );
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name) => !PAGE.includes(name))).toEqual([]);
});
