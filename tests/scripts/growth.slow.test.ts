import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, resolve } from 'node:path';
import { tmpdir } from 'node:os';
import { parseYaml } from '../../packages/server/src/contract/document/parse-yaml';
import { patch } from '../patch';
import { linkPackages } from '../../packages/tools/tests/link-packages';
import { CONTRACT_KIT, runNode } from '../../packages/tools/tests/run-node';

// The plants' contract may grow without a change to any test but those about its own words. Here it has grown.

const PARTS = [
  'contracts',
  'generated',
  'jest.config.js',
  'package.json',
  'packages',
  'redocly.yaml',
  'scripts',
  'src',
  'tests',
];
const QUICK = ['conformance/conformance.test', 'error-catalogue.test', 'service.test', 'store/tests/queue.test'];

const folder = mkdtempSync(join(tmpdir(), 'growth-'));
beforeAll(() => {
  const filter = (name: string): boolean => !['node_modules', 'dist'].includes(basename(name));
  for (const name of [...PARTS, 'tsconfig.json']) cpSync(name, join(folder, name), { recursive: true, filter });
  linkPackages(folder);
});
afterAll(() => {
  rmSync(folder, { recursive: true });
});

const FAILURES = {
  400: { $ref: '#/components/responses/BadRequest' },
  401: { $ref: '#/components/responses/Unauthorized' },
  500: { $ref: '#/components/responses/InternalServerError' },
  503: { $ref: '#/components/responses/ServiceUnavailable' },
};
const SEED = {
  type: 'object',
  required: ['code', 'origin'],
  properties: {
    code: { type: 'string', pattern: '^[A-Z]{2,8}$' },
    origin: { type: 'object', required: ['year'], properties: { year: { type: 'integer', minimum: 1800 } } },
  },
};
const CONTENT = { 'application/json': { schema: { $ref: '#/components/schemas/Seed' } } };
const COUNT = { type: 'integer', minimum: 1, maximum: 100, default: 20 };
const LIST = { 'application/json': { schema: { type: 'array', items: SEED } } };

function operation(operationId: string, status: number, more: object = {}): object {
  const responses = { [status]: { description: 'Done.', ...(status !== 204 && { content: CONTENT }) }, ...FAILURES };
  return { operationId, summary: operationId, responses, ...more };
}

const GROWTH = {
  '/paths/~1seeds': {
    get: operation('listSeeds', 200, {
      parameters: [{ name: 'limit', in: 'query', schema: COUNT }],
      responses: { 200: { description: 'Seeds.', content: LIST }, ...FAILURES },
    }),
    post: operation('createSeed', 201, {
      requestBody: { required: true, content: CONTENT },
      security: [{ bearerAuth: [] }, { seedKey: [] }],
    }),
  },
  '/paths/~1seeds~1{id}': {
    parameters: [{ name: 'id', in: 'path', required: true, schema: { type: 'integer', format: 'int64' } }],
    get: operation('getSeed', 200),
    put: operation('updateSeed', 200, { requestBody: { required: true, content: CONTENT } }),
    delete: operation('deleteSeed', 204, { security: [{ seedKey: [] }] }),
  },
  '/components/schemas/Seed': SEED,
  '/components/securitySchemes/seedKey': { type: 'apiKey', in: 'header', name: 'X-Seed-Key' },
  '/components/schemas/Error/properties/error/x-error-catalogue/SEED_KNOWN': {
    number: 40999,
    status: 409,
    meaning: 'Another seed has this code.',
  },
};

function change(name: string, from: RegExp, to: string): void {
  const text = readFileSync(join(folder, name), 'utf8');
  expect(text).toMatch(from);
  writeFileSync(join(folder, name), text.replace(from, to));
}

test('five operations, a scheme and an error more: every test compiles, and those that run the service pass', () => {
  // JSON is YAML.
  const grown = patch(parseYaml(readFileSync('openapi.yaml', 'utf8'), 'openapi.yaml'), GROWTH);
  writeFileSync(join(folder, 'openapi.yaml'), JSON.stringify(grown, undefined, 2));
  expect(runNode(folder, ...CONTRACT_KIT, 'generate').status).toBe(0);
  const ids = ['listSeeds', 'createSeed', 'getSeed', 'updateSeed', 'deleteSeed'];
  const imports = ids.map((id) => `import { ${id} } from './${id.replace('Seed', '-seed')}';\n`);
  change('src/handlers/index.ts', /^/, imports.join(''));
  change('src/handlers/index.ts', /return \{/, `return { ${ids.join()},`);
  change('src/service.ts', /bearerAuth: bearer/, 'bearerAuth: bearer, seedKey: () => undefined');

  expect(runNode(folder, resolve('node_modules/typescript/bin/tsc'))).toEqual({ status: 0, output: '' });
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8')) as { scripts: { unit: string } };
  const { status, output } = runNode(folder, ...scripts.unit.split(' ').slice(1), '--silent', ...QUICK);
  expect([status, output]).toEqual([0, expect.stringContaining('5 of ') as string]);
});
