import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { makeProject } from './make-project';
import { run, ok } from '../../../tests/support/run-as-others';
import { useFolder } from '../../../tests/support/use-folder';

const folder = useFolder();

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
  // The packages are tested as they are written.
  const conditions = JSON.stringify({ customExportConditions: ['source', 'node', 'node-addons'] });
  const tested = await run(project.folder, 'npm', 'run', 'unit', '--', '--testEnvironmentOptions', conditions);
  expect(tested).toEqual(ok('5 of 5 operations have no handler yet'));
});
