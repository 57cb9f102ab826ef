import { spawnSync } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { analyseServable, generate, generateFiles } from '../src/generate/generate';
import { CONTRACT_KIT } from './make-project';
import { useFolder } from '@contract-kit/test-support/use-folder';

const GENERATED = 'packages/test-support/plants/generated';
const CONTRACT = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');

const folder = useFolder();

type Output = Record<'stdout' | 'stderr', string> & { readonly status: number | null };

function runGenerate(cwd: string, ...args: string[]): Output {
  return spawnSync(process.execPath, [...CONTRACT_KIT, 'generate', ...args], { cwd, encoding: 'utf8' });
}

/** A contract with one schema. */
function withSchema(schema: string): string {
  return `openapi: 3.1.0
info: { title: A, version: 1.0.0, license: { name: MIT, identifier: MIT } }
servers: [{ url: '/' }]
security: []
paths: {}
components:
  schemas:
    A: ${schema}
`;
}

test('an error that prevents generating types names the file of the contract', async () => {
  const analysis = analyseServable(CONTRACT, 'openapi.yaml');
  // References lead nowhere then.
  const document = { ...analysis.document, components: {} };
  const making = generateFiles({ ...analysis, document }, false);
  await expect(making).rejects.toThrow(/^openapi\.yaml:1:1 types cannot be generated from this contract: /);
});

test('generated/ matches openapi.yaml', async () => {
  const files = await generate(CONTRACT, 'openapi.yaml');
  expect(Object.keys(files).sort()).toEqual(readdirSync(GENERATED).sort());
  for (const [name, text] of Object.entries(files)) expect(readFileSync(join(GENERATED, name), 'utf8')).toBe(text);
});

test('an int64 that is nullable in OpenAPI 3.0 is a bigint or null', async () => {
  const source = withSchema('{ type: integer, format: int64, nullable: true }')
    .replace('3.1.0', '3.0.3')
    .replace(', identifier: MIT', '');
  expect((await generate(source, 'a.yaml'))['schemas.d.ts']).toContain('A = bigint | null;');
});

test('names that are not operationIds are listed when code is generated, and not again', () => {
  const project = mkdtempSync(join(folder, 'derived-'));
  const get = `get: { operationId: get/parcel, responses: { '204': { description: Done. } } }`;
  writeFileSync(
    join(project, 'openapi.yaml'),
    withSchema('{}').replace('paths: {}', `paths: { /parcels: { ${get} } }`),
  );
  mkdirSync(join(project, 'src'));
  const note =
    'The operationId is missing, used twice or not a valid name in TypeScript, so these names were derived: GET /parcels is getParcel\n';
  expect(runGenerate(project).stdout).toContain(note);
  expect(runGenerate(project)).toMatchObject({ status: 0, stdout: expect.not.stringContaining(note) as string });
});

describe('npm run generate', () => {
  beforeAll(() => {
    const source = 'packages/test-support/plants';
    for (const name of ['openapi.yaml', 'src/handlers'])
      cpSync(join(source, name), join(folder, name), { recursive: true });
  });
  const run = (...args: string[]): Output => runGenerate(folder, ...args);

  test('writes missing files, and with --check only fails if files are out of date', () => {
    expect(run('--check')).toMatchObject({
      status: 1,
      stderr: expect.stringContaining(
        'generated/ is out of date (api.d.ts, contract.js, contract.d.ts, handlers.d.ts, schemas.d.ts)',
      ) as string,
    });
    expect(run()).toMatchObject({
      status: 0,
      stdout: 'wrote api.d.ts, contract.js, contract.d.ts, handlers.d.ts, schemas.d.ts in generated/\n',
    });
    expect(run()).toMatchObject({ status: 0, stdout: 'generated/ is up to date\n' });
    expect(run('--check')).toMatchObject({ status: 0, stdout: 'generated/ matches openapi.yaml\n' });
    appendFileSync(join(folder, 'openapi.yaml'), '# a comment\n');
    expect(run('--check')).toMatchObject({
      status: 1,
      stderr: 'error: generated/ is out of date (contract.js); run npm run generate\n',
    });
  });

  test('reports an error with its place, and shows the line', () => {
    writeFileSync(join(folder, 'openapi.yaml'), 'openapi: [');
    expect(run()).toMatchObject({
      status: 1,
      stdout: '',
      stderr: expect.stringMatching(/^openapi\.yaml:1:11: error: .*\n +1 \| openapi: \[\n +\| {11}\^\n$/) as string,
    });
  });
});

const ANIMALS = readFileSync('packages/test-support/fixtures/errors/animals.yaml', 'utf8');
const [, SECTION = ''] = readFileSync('packages/server/README.md', 'utf8').split('\n## Your own errors\n');
const [, CODE = ''] = /```ts\n(.*?)```/s.exec(SECTION) ?? [];

const HANDLERS = `import type { Handlers, RenderError } from '../generated/handlers';

export const handlers: Handlers = {
  addAnimal: ({ body }, reply) =>
    body === undefined ? reply(409, { code: 1n, message: 'Which?' }) : reply(201, undefined, { Location: '/animals/' + body.name }),
  getAnimal: ({ path: { name } }, reply) => (name === 'cat' ? reply(203, { name }) : reply(404)),
};

// @ts-expect-error -- the body of the default, under a status that is listed
export const listed: Handlers['getAnimal'] = (_, reply) => reply(404, { code: 1n, message: '' });
// @ts-expect-error -- the body of the range, under another status
export const ofRange: Handlers['getAnimal'] = (_, reply) => reply(500, { name: 'cat' });
// @ts-expect-error -- a header is missing
export const withoutHeader: Handlers['addAnimal'] = (_, reply) => reply(201);
// @ts-expect-error -- no error of the contract
export const otherErrors: RenderError = ({ message }) => ({ errors: { body: [message] } });
`;

describe('errors of the form of a contract', () => {
  const folder = useFolder();
  function generateFrom(source: string): Output {
    writeFileSync(join(folder, 'openapi.yaml'), source);
    return runGenerate(folder);
  }

  test('the code of the README compiles for a contract with a default and ranges, and so do handlers that name a status', () => {
    expect(generateFrom(ANIMALS)).toMatchObject({ status: 0, stderr: '' });
    writeFileSync(join(folder, 'package.json'), '{ "imports": { "#generated/*": "./generated/*" } }');
    writeFileSync(join(folder, 'src/render-error.ts'), CODE);
    writeFileSync(join(folder, 'src/handlers.ts'), HANDLERS);
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));

    const config = ts.parseJsonConfigFileContent(
      { extends: resolve('tsconfig.json'), include: ['src'] },
      ts.sys,
      folder,
    );
    const names = config.fileNames.map((name) => relative(folder, name)).sort();
    expect(names).toEqual([
      'src/handlers.ts',
      'src/handlers/add-animal.ts',
      'src/handlers/get-animal.ts',
      'src/handlers/index.ts',
      'src/render-error.ts',
    ]);
    const problems = ts.getPreEmitDiagnostics(ts.createProgram(config.fileNames, config.options));
    const texts = problems.map(
      ({ file, messageText }) => `${String(file?.fileName)} ${ts.flattenDiagnosticMessageText(messageText, '\n')}`,
    );
    expect(texts).toEqual([]);
  });
});
