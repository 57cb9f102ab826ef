import { spawnSync } from 'node:child_process';
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { load } from 'js-yaml';
import { makeExample, makeExampleTest } from '../src/new/example';
import { makeProjectFiles } from '../src/new/project-files';
import { type NewContract, readContract } from '../src/new/read-contract';
import { findBrokenLinks } from '@contract-kit/test-support/find-broken-links';
import { useFolder } from '@contract-kit/test-support/use-folder';

const folder = useFolder();
const KIT = { packages: [], changelog: '', modules: '' };

/** Reads a contract with this title, which has the rest as it stands. */
async function read(rest: string, title = 'T'): Promise<NewContract> {
  const file = join(folder, 'openapi.yaml');
  writeFileSync(file, `openapi: 3.0.3\ninfo: { title: ${JSON.stringify(title)}, version: 1.0.0 }\n${rest}`);
  return readContract(file, false);
}

/** A contract with a `POST /a` whose body has this media type object, and whose operation has these other fields. */
function withBody(media: string, fields = ''): string {
  return `paths:
  /a:
    post:
      operationId: postA
      requestBody: { required: true, content: { application/json: ${media} } }
      responses: { '200': { description: Done. } }
${fields}`;
}

const USER = '{ type: object, required: [name], properties: { name: { type: string } } }';

test.each([
  [
    'an int64 beyond 2^53, digit for digit',
    withBody('{ schema: { type: integer, format: int64, enum: [9007199254740993] } }'),
    '9007199254740993',
  ],
  [
    'the body itself, where an extension of a code generator names it',
    withBody(
      `{ schema: { type: object, required: [user], properties: { user: ${USER} } } }`,
      '      x-codegen-request-body-name: body\n',
    ),
    '{"user":{"name":"example"}}',
  ],
  [
    'the same key in each project',
    withBody(
      '{ schema: { type: boolean } }',
      '      parameters: [{ name: Idempotency-Key, in: header, required: true, schema: { type: string } }]\n',
    ),
    'true',
    " -H 'Idempotency-Key: example'",
  ],
])('the curl line of a new project sends %s', async (_title, contract, body, header = '') => {
  const { options, ...others } = makeExample(await read(contract), undefined);
  expect(others).toEqual({ purpose: 'call postA', path: '/a' });
  expect(options).toBe(`-X POST -H 'Content-Type: application/json'${header} -d '${body}'`);
});

const NAMED = '{ type: object, required: [name], properties: { name: { type: string, maxLength: 5 } } }';

test.each([
  [
    'the first valid example of the body',
    `{ schema: ${NAMED}, examples: { a: { value: { name: too long } }, b: { value: { name: Rose } } } }`,
  ],
  ['a valid example of its schema', `{ schema: ${NAMED.replace('{', '{ example: { name: Rose },')} }`],
])('the curl line and the example test of a new project send %s', async (_title, media) => {
  const contract = await read(withBody(media));
  expect(makeExample(contract, undefined).options).toContain(`-d '{"name":"Rose"}'`);
  expect(Object.values(makeExampleTest(contract, {})).join()).toContain(JSON.stringify('{"name":"Rose"}'));
});

test('the curl line of a new project is for an operation that the suite can make a valid request to, or else for the contract', async () => {
  const photo = withBody('{}').replace('application/json', 'image/png');
  const { purpose } = makeExample(await read(photo), undefined);
  expect(purpose).toBe('see the contract');
  const both = `${photo}  /b: { get: { operationId: getB, responses: { '204': { description: None. } } } }\n`;
  expect(makeExample(await read(both), undefined).path).toBe('/b');
});

test.each([
  ['', '/v2', '/v2/b'],
  ['/v1', '/v2/x', '/../v2/x/b'],
  ['/v1/w', '/', '/../../b'],
  ['/v1', '/v1/', '/b'],
])('below %s, the curl line leads to an operation of the server %s by %s', async (contractPath, own, path) => {
  const contract = await read(`servers: [{ url: ${contractPath}/ }]
paths: { /b: { servers: [{ url: ${own} }], get: { responses: { '204': { description: None. } } } } }
`);
  const example = makeExample(contract, undefined);
  expect(example.path).toBe(path);
  expect(new URL(`http://a${contractPath}${example.path}`).pathname).toBe(`${own.replace(/\/$/, '')}/b`);
});

test('the tokens from the settings are for one scheme, and the others accept nobody until the team writes verifiers', async () => {
  const contract = await read(`security: [{ key: [] }, { basic: [] }]
paths:
  /keys: { get: { operationId: listKeys, responses: { '204': { description: None. } } } }
  /tokens: { get: { operationId: listTokens, security: [{ token: [] }], responses: { '204': { description: None. } } } }
components:
  securitySchemes:
    key: { type: apiKey, in: header, name: X-Key }
    basic: { type: http, scheme: basic }
    token: { type: http, scheme: bearer }
`);
  const { 'src/service.ts': service, 'deploy/Dockerfile': dockerfile } = await makeProjectFiles('t', contract, KIT);
  expect(dockerfile).not.toContain('/data');
  expect(service).toContain('{ key: () => undefined, basic: () => undefined, token: bearer }');
  expect(service).toContain(`path: '/tokens'`);
});

test('each relative link of the README leads somewhere in the project', async () => {
  const files = await makeProjectFiles('t', await read('paths: {}'), KIT);
  writeFileSync(join(folder, 'README.md'), String(files['README.md']));
  expect(findBrokenLinks(folder, 'README.md')).toEqual([]);
});

test('the files for operators have a name that systems allow, no part of a store, and no alert for streams that last', async () => {
  const contract =
    await read(`paths: { /a: { get: { operationId: follow, responses: { '200': { description: Events., content: { text/event-stream: {} } } } } } }
`);
  const files = await makeProjectFiles('@team/3d-models-of-everything-in-the-shop', contract, KIT);
  const deploy = Object.entries(files).filter(([file]) => file.startsWith('deploy/'));
  expect(deploy.map(([file]) => file)).toContain('deploy/service-3d-models-of-everything@.service');
  expect(JSON.stringify(deploy)).not.toMatch(/my-service|if store|store_|store\.db|DATABASE_URL/);
  expect(files['deploy/alert-rules.yaml']).toContain('status!~"4..",operation!="follow"}');
  const dashboard = JSON.stringify(JSON.parse(String(files['deploy/grafana-dashboard.json'])));
  expect(dashboard).toContain('operation!=\\"follow\\"}');
});

test.each([
  ['in: header, name: X-Key', "-H 'X-Key: TOKEN'"],
  ['in: query, name: key', "--url-query 'key=TOKEN'"],
  ['in: cookie, name: key', "-b 'key=TOKEN'"],
])('the curl line sends the token where an API key is: %s', async (place, credentials) => {
  const contract =
    await read(`paths: { /keys: { get: { operationId: listKeys, security: [{ key: [] }], responses: { '204': { description: None. } } } } }
components: { securitySchemes: { key: { type: apiKey, ${place} } } }
`);
  const { 'src/service.ts': service } = await makeProjectFiles('t', contract, KIT);
  expect(service).toContain(`credentials: ${JSON.stringify(credentials)}`);
});

test('an operation that the suite cannot make a valid request for is an accepted gap from the start', async () => {
  const contract = await read(withBody('{}').replace('application/json', 'image/png'));
  const { 'tests/accepted-gaps.yaml': gaps } = await makeProjectFiles('t', contract, KIT);
  expect(gaps).toMatch(/^- pattern: POST \/a \*\*\n {2}reason: The .* no cases for bodies of type image\/png\.\n$/);
  expect(await makeProjectFiles('t', await read(withBody('{}')), KIT)).not.toHaveProperty(['tests/accepted-gaps.yaml']);
});

test('a scheme named __proto__ is a member of the verifiers and of the secrets, and not their prototype', async () => {
  const contract =
    await read(`paths: { /a: { get: { operationId: a, security: [{ __proto__: [] }], responses: { '204': { description: None. } } } } }
components: { securitySchemes: { __proto__: { type: http, scheme: bearer } } }
`);
  const { 'src/service.ts': service, 'tests/start-service.ts': tests } = await makeProjectFiles('t', contract, KIT);
  expect(service).toContain(`({ ['__proto__']: bearer })`);
  expect(tests).toContain(`{ ['__proto__']: 'a-secret-for-the-tests-1' }`);
});

test('a path with characters that are special in YAML or in patterns is escaped in the accepted gaps', async () => {
  const contract = await read(withBody('{}').replace('/a:', `'/a: #b c':`).replace('application/json', 'image/png'));
  const { 'tests/accepted-gaps.yaml': gaps } = await makeProjectFiles('t', contract, KIT);
  expect(load(String(gaps))).toMatchObject([{ pattern: 'POST /a:%20#b%20c **' }]);
});

test('a project of ES modules contains the text of its contract unchanged', async () => {
  const title = " from './handlers'; import { a } from './b'; __dirname";
  const contract = await read(withBody('{}'), title);
  const form = { isModule: true, hasStore: false };
  const { 'src/service.ts': service, 'src/main.ts': main } = await makeProjectFiles('t', contract, KIT, form);
  expect(service).toContain(JSON.stringify(title));
  expect(service).toContain(`from './handlers/index.js';`);
  expect(main).toContain('resolve(import.meta.dirname,');
});

test('the tests of a new project find Jest where npm put it for a workspace', async () => {
  const files = await makeProjectFiles('service', await read(withBody('{ schema: { type: boolean } }')), KIT);
  const { scripts } = JSON.parse(String(files['package.json'])) as { scripts: Record<string, string> };
  const workspace = join(folder, 'services/service');
  mkdirSync(join(workspace, 'tests'), { recursive: true });
  mkdirSync(join(folder, 'node_modules'));
  symlinkSync(resolve('node_modules/jest'), join(folder, 'node_modules/jest'));
  writeFileSync(join(workspace, 'package.json'), String(files['package.json']));
  writeFileSync(join(workspace, 'tests/jest.cjs'), String(files['tests/jest.cjs']));
  const { stdout } = spawnSync(`${String(scripts['unit'])} --version`, {
    cwd: workspace,
    shell: true,
    encoding: 'utf8',
  });
  expect(stdout).toMatch(/^30\./);
});

const EXAMPLE = `security: [{ token: [] }]
paths:
  /a/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getA, responses: { '200': { description: One. } } }
  /b: { delete: { operationId: removeB, responses: { '204': { description: It is gone. } } } }
components: { securitySchemes: { token: { type: http, scheme: bearer } } }
`;

test.each([
  ['for an operation without an id, with credentials', EXAMPLE, ['remove-b'], 'Bearer a-secret-for-the-tests-1'],
  ['for one with an id if there is no other', EXAMPLE.replace(/^ {2}\/b.*\n/m, ''), ['get-a'], '/a/1'],
  ['for none that declares only a range of successes', EXAMPLE.replace("'204'", '2XX'), ['get-a'], '/a/1'],
  ['for none with a body that is not text', withBody('{}').replace('application/json', 'image/png'), [], ''],
  ['for none with a method that fetch refuses', EXAMPLE.replace('delete:', 'trace:'), ['get-a'], '/a/1'],
])('the example test of a new project is %s', async (_title, contract, names, text) => {
  const files = await makeProjectFiles('t', await read(contract), KIT);
  const tests = Object.entries(files).filter(([file]) => file.startsWith('tests/handlers/'));
  expect(tests.map(([file]) => file)).toEqual(names.map((name) => `tests/handlers/${name}.test.ts`));
  expect(tests.join()).toContain(text);
});

test('the Dockerfile of a new project copies nothing before npm ci but what it installs', async () => {
  const { 'deploy/Dockerfile': dockerfile } = await makeProjectFiles('t', await read(withBody('{}')), KIT);
  const installing = String(dockerfile).match(/^FROM(?:(?!^FROM)[^])*?^RUN npm ci/gm) ?? [];
  expect(installing.map((stage) => stage.match(/(?<=^COPY ).+(?= )/gm))).toEqual([
    ['.npmrc package.json package-lock.json', 'vendor'],
    ['package.json package-lock.json', 'vendor'],
  ]);
});

test('npm test of a project ends with the tests that failed, and the files that did not run', () => {
  const project = join(folder, 'red');
  mkdirSync(project);
  const steps = ['contract:check', 'generate', 'lint', 'types', 'start'].map((name) => [name, 'node -v'] as const);
  const unit = `node ${resolve('node_modules/jest/bin/jest.js')}`;
  const scripts = { ...Object.fromEntries(steps), unit };
  writeFileSync(join(project, 'package.json'), JSON.stringify({ scripts, jest: { rootDir: '.' } }));
  writeFileSync(join(project, 'a.test.js'), "test('is wrong', () => expect(1).toBe(2));");
  writeFileSync(join(project, 'b.test.js'), 'throw new Error();');
  const script = resolve('packages/tools/templates/scripts/test.ts');
  const { status, stdout } = spawnSync(process.execPath, [script], { cwd: project, encoding: 'utf8' });
  expect(status).toBe(1);
  const lines = stdout.trimEnd().split('\n').slice(-3);
  expect(lines[0]).toMatch(/^FAIL {2}unit, /);
  expect(lines.slice(1).toSorted()).toEqual(['      a.test.js  is wrong', '      b.test.js  does not run']);
});
