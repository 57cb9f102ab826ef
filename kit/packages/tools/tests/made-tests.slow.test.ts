import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runTests } from '../src/new/create-project';
import { makeProject } from './make-project';
import { run, ok } from '@contract-kit/test-support/run-as-others';
import { useFolder } from '@contract-kit/test-support/use-folder';

const folder = useFolder();

/** Runs tests of a project with the packages as they are written. */
function runTestsOf(project: string, ...files: string[]): ReturnType<typeof run> {
  const conditions = JSON.stringify({ customExportConditions: ['source', 'node', 'node-addons'] });
  return run(project, 'npm', 'run', 'unit', '--', '--verbose', '--testEnvironmentOptions', conditions, ...files);
}

const code =
  'content: { application/json: { schema: { type: object, required: [code], properties: { code: { type: integer } } } } }';

test('the tests of a new project pass even if no error of its contract has a body', async () => {
  const contract = join(folder, 'refusals.yaml');
  writeFileSync(
    contract,
    `openapi: 3.1.0
info: { title: Refusals, version: 1.0.0 }
security: []
paths:
  /default: { get: { operationId: a, responses: { '204': { description: Done. }, default: { description: No. } } } }
  /code: { get: { operationId: b, responses: { '204': { description: Done. }, default: { description: No., ${code} } } } }
  /health: { get: { operationId: c, responses: { '200': { description: Well. }, '503': { description: Away. } } } }
  /object: { head: { operationId: d, responses: { '200': { description: It is there. } } } }
  /form:
    post:
      operationId: e
      requestBody: { required: true, content: { application/json: { schema: { type: integer } } } }
      responses:
        '201': { description: Created. }
        '400': { description: Wrong. }
        '500': { description: Failed. }
        '501': { description: Later. }
`,
  );
  using project = await makeProject(contract);
  expect(await runTestsOf(project.folder)).toEqual(ok('5 of 5 operations have no handler yet'));
});

test('the tests of a new project pass even if the suite cannot make a valid request to any of its operations', async () => {
  const contract = join(folder, 'untried.yaml');
  writeFileSync(
    contract,
    `openapi: 3.1.0
info: { title: Untried, version: 1.0.0 }
security: []
paths:
  /photo:
    put:
      operationId: putPhoto
      requestBody: { required: true, content: { image/png: {} } }
      responses: { '204': { description: Done. } }
`,
  );
  using project = await makeProject(contract);
  expect(await runTestsOf(project.folder)).toEqual(ok('tests/accepted-gaps.yaml accepts the other 2'));
});

test('the example test of a new project passes until its handler is written and replies with another status', async () => {
  using project = await makeProject('packages/test-support/fixtures/lending.yaml', { isModule: false, hasStore: true });
  const file = 'tests/handlers/list-books.test.ts';
  expect(await runTestsOf(project.folder, file)).toEqual(ok('GET /books replies with 200'));
  const handler = join(project.folder, 'src/handlers/list-books.ts');
  const stub = readFileSync(handler, 'utf8');
  writeFileSync(handler, stub.replace(/=> notBuilt\(.*\)/, `=> { throw new Error('a bug'); }`));
  expect(await runTestsOf(project.folder, file)).toMatchObject({ status: 1 });
});

test('a suite that takes too long is cut off, and the tests say so', async () => {
  using project = await makeProject('packages/test-support/fixtures/lending.yaml', { isModule: false, hasStore: true });
  const { failures, isCutOff } = runTests(project.folder, 0);
  expect({ failures, isCutOff }).toEqual({ failures: [], isCutOff: true });
});
