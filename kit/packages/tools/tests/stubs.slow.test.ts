import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseYaml, readOperations, type Document } from '@contract-kit/contract';
import { createCompiler } from '../src/compile/compiler';
import { addToTable, listHandlers } from '../src/generate/handler-table';
import { createStub } from '../src/generate/stubs';
import { fetchPatiently, LISTENING, startProcess } from '@contract-kit/test-support/start-process';
import { makeProject, runNode, CONTRACT_KIT } from './make-project';

// That of the copied project.
const CONTRACT = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');
const HANDLERS = 'src/handlers';

const FAILURES = { '501': 'InternalServerError', '503': 'ServiceUnavailable' } as const;
type Failure = keyof typeof FAILURES;

/** The replies of an operation that replies with nothing, or with an error. */
function replies(statuses: readonly Failure[]): string {
  return [
    `      responses:`,
    `        '204': { description: Done. }`,
    `        '400': { $ref: '#/components/responses/BadRequest' }`,
    `        '401': { $ref: '#/components/responses/Unauthorized' }`,
    `        '500': { $ref: '#/components/responses/InternalServerError' }`,
    ...statuses.map((status) => `        '${status}': { $ref: '#/components/responses/${FAILURES[status]}' }`),
    ``,
  ].join('\n');
}

/** The contract with more operations at /plants: each has a method, an operationId and what it declares of 5xx. */
function withOperations(...operations: readonly (readonly [string, string, readonly Failure[]])[]): string {
  const text = operations.map(
    ([method, id, statuses]) => `    ${method}:\n      operationId: ${id}\n      summary: More\n${replies(statuses)}`,
  );
  return CONTRACT.replace('  /plants:\n', `  /plants:\n${text.join('')}`);
}

const node = (folder: string, script: string, ...args: string[]) =>
  runNode(folder, resolve('node_modules', script), ...args);

const runGenerate = (folder: string, ...args: string[]) => runNode(folder, ...CONTRACT_KIT, 'generate', ...args);

test('each operation without a handler gets one, which compiles, lints, is formatted and answers', async () => {
  using project = await makeProject();
  const { folder } = project;
  const names = readdirSync(join(folder, HANDLERS));
  const contract = withOperations(['get', 'listPlants', ['503']], ['delete', 'forgetAllPlants', ['501', '503']]);
  writeFileSync(join(folder, 'openapi.yaml'), contract);

  expect(runGenerate(folder, '--check')).toMatchObject({
    status: 1,
    output: expect.stringContaining('out of date') as string,
  });
  expect(readdirSync(join(folder, HANDLERS))).toEqual(names);

  expect(runGenerate(folder)).toEqual({
    status: 0,
    output: `wrote api.d.ts, contract.js in generated/
wrote src/handlers/list-plants.ts, which answers that listPlants is not built yet
wrote src/handlers/forget-all-plants.ts, which answers that forgetAllPlants is not built yet
added listPlants, forgetAllPlants to src/handlers/index.ts
`,
  });
  const list = readFileSync(join(folder, HANDLERS, 'list-plants.ts'), 'utf8');
  const forget = readFileSync(join(folder, HANDLERS, 'forget-all-plants.ts'), 'utf8');
  expect(list).toBe(`import { notBuilt } from '@contract-kit/server';
import type { Handler } from '../../generated/handlers';

/** GET /plants: not built yet. */
export const listPlants: Handler<'listPlants'> = (/* { identity, log }, reply */) => notBuilt('listPlants');
`);
  expect(forget).toContain('/** DELETE /plants: not built yet. */');
  expect(forget).toContain(`notBuilt('forgetAllPlants');`);

  const compile = createCompiler(join(folder, 'src/tsconfig.json'), join(folder, 'dist/main.js'));
  expect(compile()).toEqual([]);
  expect(node(folder, 'oxlint/bin/oxlint', '--format', 'unix', 'src')).toMatchObject({
    status: 0,
    output: '',
  });
  expect(node(folder, 'prettier/bin/prettier.cjs', '--check', 'src', 'tests')).toMatchObject({ status: 0 });

  // What is there stays as it is.
  writeFileSync(join(folder, HANDLERS, 'list-plants.ts'), '// mine\n');
  expect(runGenerate(folder)).toMatchObject({ status: 0, output: 'generated/ is up to date\n' });
  expect(readFileSync(join(folder, HANDLERS, 'list-plants.ts'), 'utf8')).toBe('// mine\n');

  const main = join(folder, 'dist/main.js');
  using service = startProcess({ API_TOKENS: 'a-token-for-the-tests' }, [], { main });
  const [, url = ''] = await service.waitFor(LISTENING);
  const ask = async (method: string): Promise<unknown[]> => {
    const reply = await fetchPatiently(`${url}/plants`, {
      method,
      headers: { Authorization: 'Bearer a-token-for-the-tests' },
    });
    return [reply.status, reply.headers.get('retry-after')];
  };
  await expect(ask('GET')).resolves.toEqual([503, '1']);
  await expect(ask('DELETE')).resolves.toEqual([501, null]);
});

const PARAMETERS = ['cookie', 'header', 'query', 'path'].map(
  (location) => `{ name: id, in: ${location}, required: true, schema: { type: string } }`,
);

test.each([
  ['nothing', '/a', 'get: { security: []', 'log'],
  ['a caller that may be unknown', '/a', 'get: { security: [{}, { key: [] }]', 'identity, log'],
  [
    'all there is',
    '/a/{id}',
    `put: { security: [{ key: [] }], requestBody: { content: { text/plain: {} } }, parameters: [${PARAMETERS.join(', ')}]`,
    'path, query, headers, cookies, body, identity, log',
  ],
])('a handler of an operation with %s names what it gets', async (_, path, members, names) => {
  const source = `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths: { '${path}': { ${members}, operationId: a, responses: {} } } }
components: { securitySchemes: { key: { type: apiKey, in: header, name: X-Key } } }
`;
  const { operations } = readOperations(parseYaml(source, 'a.yaml') as Document);
  const [stub] = await Promise.all(operations.map((operation) => createStub(operation, 'a.ts')));
  expect(stub?.replaceAll(/\s+/g, ' ')).toContain(`(/* { ${names} }, reply */) => notBuilt('a')`);
});

test('a listed handler is not added again, lines for a table in another form are printed, and a long name is formatted', async () => {
  using project = await makeProject();
  const { folder } = project;
  const id = 'listAllOfThePlantsThatAreInTheStoreAndWereNotForgotten';
  writeFileSync(join(folder, 'openapi.yaml'), withOperations(['get', id, ['501', '503']]));
  const table = join(folder, HANDLERS, 'index.ts');
  const text = `export const handlers = createAll({ ${id}: undefined });\n`;
  writeFileSync(table, text);
  const { output, status } = runGenerate(folder);
  expect([status, readFileSync(table, 'utf8')]).toEqual([0, text]);
  expect(output).not.toContain('Add these lines');
  writeFileSync(join(folder, 'openapi.yaml'), withOperations(['get', 'listPlants', ['503']]));
  expect(runGenerate(folder).output).toContain(`Add these lines to src/handlers/index.ts, at the top and in the table:
  import { listPlants } from './list-plants';
    listPlants,
`);
  const file = `${HANDLERS}/list-all-of-the-plants-that-are-in-the-store-and-were-not-forgotten.ts`;
  expect(readFileSync(join(folder, file), 'utf8')).toContain(`notBuilt('${id}')`);
  expect(node(folder, 'prettier/bin/prettier.cjs', '--check', file)).toMatchObject({ status: 0 });
});

const NEW = { findBook: './find-book', lendBook: './lend-book' };

test('a table gets the lines of new handlers, and all other lines stay unchanged', () => {
  const text = `import type { Handlers } from '../../generated/handlers';
import { listBooks } from './list-books'; // Ours.

const defaults = { limit: 20 };
export const handlers: Handlers = {
  listBooks, // By title.
};
`;
  expect(addToTable(text, NEW)).toBe(`import type { Handlers } from '../../generated/handlers';
import { listBooks } from './list-books'; // Ours.
import { findBook } from './find-book';
import { lendBook } from './lend-book';

const defaults = { limit: 20 };
export const handlers: Handlers = {
  listBooks, // By title.
  findBook,
  lendBook,
};
`);
});

test.each([
  [
    'what a function returns, without a comma at its end',
    `import "a";\nfunction f(store: Store): Handlers {\n    const a = { b: [] };\n    return {\n        a: g(store) // Last.\n    };\n}`,
    `import "a";\nimport { findBook } from "./find-book";\nimport { lendBook } from "./lend-book";\nfunction f(store: Store): Handlers {\n    const a = { b: [] };\n    return {\n        a: g(store), // Last.\n        findBook,\n        lendBook,\n    };\n}`,
  ],
  [
    'one line, and lines that end with CR LF',
    `import 'a';\r\nconst f = (): Handlers => ({ a });\r\n`,
    `import 'a';\r\nimport { findBook } from './find-book';\r\nimport { lendBook } from './lend-book';\r\nconst f = (): Handlers => ({ a, findBook, lendBook });\r\n`,
  ],
  [
    'an empty one without imports',
    `export const handlers = {} satisfies Handlers;\n`,
    `import { findBook } from './find-book';\nimport { lendBook } from './lend-book';\nexport const handlers = { findBook, lendBook } satisfies Handlers;\n`,
  ],
])('a table: %s', (_title, text, longer) => {
  expect(addToTable(text, NEW)).toBe(longer);
});

test('a text without an object of the type Handlers has no table', () => {
  expect(addToTable('export const handlers = createAll({ listBooks });', NEW)).toBeUndefined();
});

test('listHandlers lists only the members of the table, and no names in comments, imports or parameters', () => {
  const text = `import { store } from './store';
// The table of each operation.
export const createHandlers = (store: Store): Handlers => ({ listBooks, 'addBook': addBook(store) });
`;
  expect(listHandlers(text)).toEqual(['listBooks', 'addBook']);
});
