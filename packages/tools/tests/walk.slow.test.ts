import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { createCompiler } from '../src/compile/compiler';
import { toLines } from '../src/diagnostics/diagnostic';
import { createSuite } from '@contract-kit/conformance';
import { fetchPatiently } from '../../../tests/support/start-process';
import { until } from '../../../tests/support/until';
import { makeProject, CONTRACT_KIT, runNode } from './make-project';

// What a newcomer does with a contract that grows, in a copy of the project.

let project: Awaited<ReturnType<typeof makeProject>>;
let folder: string;
let compiler: ReturnType<typeof createCompiler>;
beforeAll(async () => {
  project = await makeProject();
  ({ folder } = project);
  compiler = createCompiler(join(folder, 'src/tsconfig.json'), join(folder, 'dist/main.js'));
});
afterAll(() => {
  project[Symbol.dispose]();
});

function change(name: string, by: (text: string) => string): void {
  const file = join(folder, name);
  const text = readFileSync(file, 'utf8');
  const changed = by(text);
  expect(changed).not.toBe(text);
  writeFileSync(file, changed);
}

/** `npm run generate`. */
function generate(): string {
  const { status, output } = runNode(folder, ...CONTRACT_KIT, 'generate');
  expect([status, output]).toEqual([0, output]);
  return output;
}

/** What the compiler says, a line for each mistake; nothing when all is well. */
function compile(): string[] {
  return toLines(compiler.compile()).map((line) => line.replace(`${relative('', folder)}/`, ''));
}

function countCases(): number {
  const contract = readFileSync(join(folder, 'openapi.yaml'), 'utf8');
  return createSuite(contract, { bodyLimit: 10_000, marker: 'walk', level: 'strict' }).cases.length;
}

interface Running extends AsyncDisposable {
  readonly get: (
    path: string,
    headers?: Record<string, string>,
  ) => Promise<{ status: number; headers: Headers; body: unknown }>;
}

/** The compiled service. */
async function start(): Promise<Running> {
  const env = { PATH: process.env['PATH'], PORT: '0', ADMIN_PORT: '0', API_TOKENS: 'a-token-for-the-tests' };
  const child: ChildProcess = spawn(process.execPath, ['dist/main.js'], { cwd: folder, env });
  let isOver = false;
  const ended = once(child, 'close').then(() => (isOver = true));
  let output = '';
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', (chunk: Buffer) => (output += String(chunk)));
  await until(() => isOver || output.includes('"listening"'));
  const [, url] = /"url":"([^"]+)"/.exec(output) ?? [];
  if (url === undefined) throw new Error(output);
  return {
    async get(path, headers = { Authorization: 'Bearer a-token-for-the-tests' }) {
      const reply = await fetchPatiently(url + path, { headers });
      return { status: reply.status, headers: reply.headers, body: JSON.parse(await reply.text()) as unknown };
    },
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

const OWN_REPLIES = `        '400': { $ref: '#/components/responses/BadRequest' }
        '401': { $ref: '#/components/responses/Unauthorized' }
        '500': { $ref: '#/components/responses/InternalServerError' }
        '503': { $ref: '#/components/responses/ServiceUnavailable' }
`;

const LIST = `    get:
      operationId: listPlants
      summary: List plants
      parameters:
        - { name: limit, in: query, schema: { type: integer, minimum: 1, maximum: 100, default: 20 } }
        - { name: after, in: query, schema: { type: integer, format: int64 } }
        - { name: ids, in: query, explode: false, schema: { type: array, items: { type: integer, format: int64 } } }
      responses:
        '200':
          description: Plants.
          content:
            application/json: { schema: { type: array, items: { $ref: '#/components/schemas/Plant' } } }
${OWN_REPLIES}`;

const GET = `  /plants/{id}:
    get:
      operationId: getPlant
      summary: A plant
      parameters:
        - { name: id, in: path, required: true, schema: { type: integer, format: int64 } }
        - { name: X-Part, in: header, schema: { type: string, enum: [all, name] } }
        - { name: size, in: query, schema: { oneOf: [{ type: integer, format: int64 }, { type: string, enum: [small] }] } }
      responses:
        '200':
          description: The plant.
          headers:
            ETag: { required: true, description: Its version., schema: { type: integer, format: int64 } }
            X-Request-Id: { required: true, description: As in the log., schema: { type: string } }
          content:
            application/json:
              schema:
                type: object
                required: [id, size]
                properties:
                  id: { type: integer, format: int64 }
                  size: { oneOf: [{ type: integer, format: int64 }, { type: string }] }
                  who: { type: string }
        '404': { $ref: '#/components/responses/BadRequest' }
${OWN_REPLIES}`;

let before = 0;

test('a new operation: its handler is made and listed, and its rules are enforced', async () => {
  expect(generate()).toBe('generated/: nothing to change\n');
  before = countCases();
  change('openapi.yaml', (text) => text.replace('  /plants:\n', `  /plants:\n${LIST}`));
  expect(generate()).toContain('list-plants.ts');
  expect(compile()).toEqual([]);
  const after = countCases();
  expect(after).toBeGreaterThan(before + 50);
  await using service = await start();
  await expect(service.get('/plants')).resolves.toMatchObject({
    status: 503,
    body: { message: 'listPlants is not built yet' },
  });
  await expect(service.get('/plants?limit=101')).resolves.toMatchObject({ status: 400 });
  await expect(service.get('/plants?lmit=1')).resolves.toMatchObject({ status: 400 });
  await expect(service.get('/plants', {})).resolves.toMatchObject({ status: 401 });
});

test('a handler gets what its types say, and may answer nothing else', async () => {
  const write = (reply: string): void => {
    change('src/handlers/list-plants.ts', (text) =>
      text
        .replace(/=> [^]*/, `=> ${reply};\n`)
        .replace(/= \(.*?\) =>/, '= ({ query: { limit, after, ids } }, reply) =>')
        .replace(/import \{ notBuilt.*\n/, ''),
    );
  };
  write('reply(200, [{ name: limit.toFixed() }, { name: String(after satisfies bigint | undefined), id: 1n }])');
  expect(compile().at(-1)).toMatch(/^src\/handlers\/list-plants\.ts.*Type 'bigint' is not assignable/);
  write(
    'reply(200, [{ name: limit.toFixed() }, { name: String(after satisfies bigint | undefined), tag: (ids ?? []).map((id: bigint) => id).join() }])',
  );
  expect(compile()).toEqual([]);
  expect(generate()).toBe('generated/: nothing to change\n');
  await using service = await start();
  await expect(service.get('/plants?after=9223372036854775807&ids=1,9007199254740993')).resolves.toMatchObject({
    body: [{ name: '20' }, { name: '9223372036854775807', tag: '1,9007199254740993' }],
  });
});

test('a path parameter, an enum, alternatives, a header of the request and one of the reply', async () => {
  change('openapi.yaml', (text) => text.replace('paths:\n', `paths:\n${GET}`));
  generate();
  expect(readdirSync(join(folder, 'src/handlers')).sort()).toEqual([
    'create-plant.ts',
    'get-plant.ts',
    'index.ts',
    'list-plants.ts',
  ]);
  const write = (body: string): void => {
    change(
      'src/handlers/get-plant.ts',
      () =>
        `import type { Handler } from '../../generated/handlers';\n\nexport const getPlant: Handler<'getPlant'> = ({ path: { id }, headers, query, identity }, reply) => {\n${body}\n};\n`,
    );
  };
  write(`  const part: 'all' | 'name' | undefined = headers['X-Part'];
  if (part === 'name') return reply(404, { error: 40010, message: Object.keys(identity).join() });
  return reply(200, { id, size: query.size ?? 'small' });`);
  expect(compile()).toEqual([expect.stringMatching(/^src\/handlers\/get-plant\.ts.*Expected 3 arguments/)]);
  write(`  const part: 'all' | 'name' | undefined = headers['X-Part'];
  if (part === 'name') return reply(404, { error: 40010, message: Object.keys(identity).join() });
  return reply(200, { id, size: query.size ?? 'small' }, { ETag: id });`);
  expect(compile()).toEqual([]);
  await using service = await start();
  const plant = await service.get('/plants/9007199254740993?size=3');
  expect([plant.status, plant.headers.get('etag')]).toEqual([200, '9007199254740993']);
  await expect(service.get('/plants/1?size=small')).resolves.toMatchObject({ body: { id: 1, size: 'small' } });
  await expect(service.get('/plants/1?size=large')).resolves.toMatchObject({ status: 400 });
  await expect(service.get('/plants/9223372036854775808')).resolves.toMatchObject({ status: 400 });
  const one = { Authorization: 'Bearer a-token-for-the-tests' };
  await expect(service.get('/plants/1', { ...one, 'X-Part': 'some' })).resolves.toMatchObject({ status: 400 });
  await expect(service.get('/plants/1', { ...one, 'X-Part': 'name' })).resolves.toMatchObject({
    status: 404,
    body: { message: 'bearerAuth' },
  });
});

test('a second security scheme: the compiler asks for its verifier, and the handler knows which one it was', async () => {
  change('openapi.yaml', (text) =>
    text
      .replace(
        '      operationId: getPlant\n',
        '      operationId: getPlant\n      security: [{ bearerAuth: [] }, { key: [] }]\n',
      )
      .replace('  securitySchemes:\n', '  securitySchemes:\n    key: { type: apiKey, in: header, name: X-Key }\n'),
  );
  generate();
  const errors = compile();
  expect(errors).toHaveLength(1);
  expect(errors[0]).toMatch(/'key' is missing/);
  const [, file = ''] = /^(src\/[\w-]+\.ts)/.exec(String(errors[0])) ?? [];
  change(file, (text) =>
    text.replace(/\bbearerAuth: (\w+)/, `bearerAuth: $1, key: (key) => (key === 'k' ? { subject: 'me' } : undefined)`),
  );
  change('src/handlers/get-plant.ts', (text) =>
    text.replace('Object.keys(identity).join()', "'key' in identity ? String(identity.key.subject) : 'bearer'"),
  );
  expect(compile()).toEqual([]);
  await using service = await start();
  await expect(service.get('/plants/1', { 'X-Key': 'k', 'X-Part': 'name' })).resolves.toMatchObject({
    status: 404,
    body: { message: 'me' },
  });
  await expect(service.get('/plants/1', { 'X-Key': 'other' })).resolves.toMatchObject({ status: 401 });
  await expect(service.get('/plants', { 'X-Key': 'k' })).resolves.toMatchObject({ status: 401 });
});
