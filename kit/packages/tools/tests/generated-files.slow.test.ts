import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { generate } from '../src/generate/generate';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { CONTRACT_KIT, runNode } from './make-project';

// What an application finds in generated/ and src/handlers/.

const root = useFolder();
const folder = join(root, 'apps/things');
const read = (name: string): string => readFileSync(join(folder, name), 'utf8');
const operation = (id: string): string =>
  `{ get: { operationId: ${id}, responses: { '204': { description: Done. } } } }`;
const toContract = (paths: string, schemas = '{}'): string => `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
security: []
paths: ${paths}
components: { schemas: ${schemas} }
`;
const ONE = toContract(`{ /a: ${operation('getA')} }`);
const TWO = toContract(`{ /a: ${operation('getA')}, /b: ${operation('getB')} }`);

beforeEach(() => {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(root, 'package.json'), '{ "type": "module" }');
  writeFileSync(join(folder, 'openapi.yaml'), ONE);
});

function runGenerate(): string {
  return runNode(folder, ...CONTRACT_KIT, 'generate').output;
}

/** What Node imports of generated/contract.js. */
function importConstants(): string {
  const code = `import { file } from './generated/contract.js'; console.log(file);`;
  return runNode(folder, '--input-type=module', '--eval', code).output;
}

test('generate writes the kind of modules that the nearest package.json declares, even in a parent folder', () => {
  expect(runGenerate()).toContain('wrote src/handlers/get-a.ts');
  expect(importConstants()).toBe('openapi.yaml\n');
  expect(read('generated/contract.js')).toContain('export const sha256');
  expect(read('src/handlers/get-a.ts')).toContain(`from '../../generated/handlers.js'`);

  writeFileSync(join(folder, 'generated/package.json'), '{ "type": "commonjs" }');
  expect(runGenerate()).toContain('wrote contract.js in generated/\n');
  expect(importConstants()).toBe('openapi.yaml\n');

  writeFileSync(join(folder, 'package.json'), '{}');
  rmSync(join(folder, 'src'), { recursive: true });
  runGenerate();
  expect(read('src/handlers/get-a.ts')).toContain(`from '../../generated/handlers'`);
});

test('the first handlers come with a table; the lines for later ones are printed if the table is elsewhere', () => {
  expect(runGenerate()).toContain('added getA to src/handlers/index.ts\n');
  expect(read('src/handlers/index.ts')).toBe(`import type { Handlers } from '../../generated/handlers.js';
import { getA } from './get-a.js';

/** The handlers. This does not compile unless it lists exactly the operations of the contract. */
export const handlers: Handlers = {
  getA,
};
`);
  rmSync(join(folder, 'src/handlers/index.ts'));
  writeFileSync(join(folder, 'openapi.yaml'), TWO);
  expect(runGenerate()).toContain(`Add these lines to the file with the table of handlers, at the top and in the table:
  import { getB } from './get-b.js';
    getB,
`);
});

const BODY = `content: { application/json: { schema: { $ref: '#/components/schemas/A' } } }`;

test.each([
  ['without operations', toContract('{}')],
  ['without schemas', TWO],
  ['with schemas', readFileSync('packages/test-support/plants/openapi.yaml', 'utf8')],
  [
    'with a schema that is empty in requests',
    toContract(
      `{ /a: { post: { operationId: a, requestBody: { ${BODY} }, responses: { '200': { description: A., ${BODY} } } } } }`,
      '{ A: { type: object, properties: { id: { type: string, readOnly: true } } } }',
    ),
  ],
])('the types of a contract %s follow the rules that linters recommend', async (_, source) => {
  const files = Object.entries(await generate(source, 'openapi.yaml')).filter(([name]) => name.endsWith('.d.ts'));
  for (const [name, text] of files) writeFileSync(join(folder, name), text);
  const rules = ['correctness', ...['ban-ts-comment', 'no-empty-object-type', 'no-explicit-any', 'no-namespace']];
  const args = rules.flatMap((rule) => ['--deny', rule]);
  const { stdout } = spawnSync(resolve('node_modules/.bin/oxlint'), args, { cwd: folder, encoding: 'utf8' });
  expect(stdout).toContain('Found 0 warnings and 0 errors.');
  expect(stdout).toContain(`on ${String(files.length)} files`);
});
