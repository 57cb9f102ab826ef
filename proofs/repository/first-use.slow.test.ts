import { spawn } from 'node:child_process';
import { readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { once } from 'node:events';
import { ok, run, type Ended } from '../../tests/support/run-as-others';
import { until } from '../../tests/support/until';
import { useFolder } from '../../tests/support/use-folder';
import { readBlocks } from '../../tests/support/read-blocks';

// An application that is written by the README of the server, with the packages as others get them, in a layout where
// the compiler puts the code of src/ into dist/src/.

const folder = useFolder();
const TOKEN = 'a-token-of-16-or-more';
const [START = '', ...OTHER_BLOCKS] = readBlocks('packages/server/README.md', 'ts');
const EXISTING = OTHER_BLOCKS.find((code) => code.includes('createExistingApp'));

const CONTRACT = `openapi: 3.1.0
info: { title: Things, version: 1.0.0 }
security: [{ bearerAuth: [] }]
paths:
  /things:
    post:
      operationId: createThing
      requestBody: { required: true, content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } }
      responses: { '200': { description: It., content: { application/json: { schema: { $ref: '#/components/schemas/Thing' } } } } }
components:
  securitySchemes: { bearerAuth: { type: http, scheme: bearer } }
  schemas: { Thing: { type: object, required: [name], properties: { name: { type: string } } } }
`;

const HANDLER = `import type { Handler } from '#generated/handlers.js';

export const createThing: Handler<'createThing'> = ({ body }, reply) => {
  if (body.name === 'bug') throw new Error('a bug of the handler');
  return reply(200, body);
};
`;

const MAIN = `import { handlers } from './handlers/index.js';
import { start } from './start.js';

void start(handlers);
`;

// Tells its port.
const LISTEN = `const server = express().use(operations).listen(0, '127.0.0.1', () => {
    console.log(JSON.stringify(server.address()));
  })`;

const TSCONFIG = {
  compilerOptions: {
    ...{ module: 'nodenext', target: 'es2023', strict: true, skipLibCheck: true, types: ['node'] },
    ...{ rootDir: '.', outDir: 'dist' },
  },
  include: ['src', 'generated'],
};

function withVersion(name: string): string {
  const { version } = JSON.parse(readFileSync(`node_modules/${name}/package.json`, 'utf8')) as { version: string };
  return `${name}@${version}`;
}

const NEEDED = [
  'express',
  'express-openapi-validator',
  'ajv',
  'js-yaml',
  '@types/express',
  '@types/node',
  'typescript',
];

function writeManifest(members: object): void {
  const file = join(folder, 'package.json');
  const manifest = JSON.parse(readFileSync(file, 'utf8')) as object;
  writeFileSync(file, JSON.stringify({ ...manifest, ...members }));
}

function runBin(name: string, ...args: readonly string[]): Promise<Ended> {
  return run(folder, process.execPath, join('node_modules', name), ...args);
}

/** What the compiled application writes. */
function startApp(): AsyncDisposable & { readonly waitFor: (pattern: RegExp) => Promise<string> } {
  const child = spawn(process.execPath, ['dist/src/main.js'], { cwd: folder, env: { PATH: process.env['PATH'] } });
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (text: string) => (output += text));
  }
  return {
    async waitFor(pattern) {
      await until(() => pattern.test(output) || child.exitCode !== null);
      expect(output).toMatch(pattern);
      return String(pattern.exec(output)?.[1]);
    },
    async [Symbol.asyncDispose]() {
      child.kill();
      await ended;
    },
  };
}

test('the packages are packed, and installed in an application', async () => {
  writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  for (const name of ['contract', 'server', 'tools']) {
    await expect(run(`packages/${name}`, 'npm', 'pack', '--pack-destination', folder)).resolves.toEqual(ok('.tgz'));
  }
  const tarballs = readdirSync(folder).filter((name) => name.endsWith('.tgz'));
  const packages = [...tarballs.map((name) => `./${name}`), ...NEEDED.map(withVersion)];
  const options = ['--prefer-offline', '--no-audit', '--no-fund'];
  await expect(run(folder, 'npm', 'install', ...options, ...packages)).resolves.toEqual(ok('added'));
  writeFileSync(join(folder, 'openapi.yaml'), CONTRACT);
  writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(TSCONFIG));
});

test.each(['module', 'commonjs'])('an application written by the README compiles and starts: %s', async (type) => {
  for (const name of ['src', 'generated', 'dist']) rmSync(join(folder, name), { recursive: true, force: true });
  writeManifest({ type, imports: { '#generated/*': './generated/*' } });
  const made = 'added createThing to src/handlers/index.ts';
  await expect(runBin('@contract-kit/tools/dist/cli.js', 'generate')).resolves.toEqual(ok(made));
  const sources = {
    'start.ts': START.replace('express().use(operations).listen(3000)', LISTEN),
    'existing-app.ts': String(EXISTING),
    'handlers/create-thing.ts': HANDLER,
    'main.ts': MAIN,
  };
  for (const [name, text] of Object.entries(sources)) writeFileSync(join(folder, 'src', name), text);
  await expect(runBin('typescript/bin/tsc')).resolves.toEqual({ status: 0, output: '' });

  await using app = startApp();
  const port = await app.waitFor(/"port":(\d+)/);
  const headers = { Authorization: `Bearer ${TOKEN}`, 'Content-Type': 'application/json' };
  const post = async (body: string): Promise<number> => {
    return (await fetch(`http://127.0.0.1:${port}/things`, { method: 'POST', headers, body })).status;
  };
  await expect(post('{"name":"a"}')).resolves.toBe(200);
  await expect(post('{"name":1}')).resolves.toBe(400);
  await expect(post('{"name":"bug"}')).resolves.toBe(500);
  await app.waitFor(/"operation":"createThing","status":500.*(a bug of the handler)/);
});
