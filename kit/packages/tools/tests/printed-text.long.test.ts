import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { parseYaml } from '@contract-kit/contract';
import { FROM_SOURCE } from '@contract-kit/test-support/run-as-others';
import { CONTRACT_KIT } from './make-project';
import { useFolder } from '@contract-kit/test-support/use-folder';

const folder = useFolder();

const range = (from: number, to: number): string =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index)).join('');
// All controls but line ends and tabs, and what reverses text.
const REVERSING = `\u061c\u200e\u200f${range(0x202a, 0x202e)}${range(0x2066, 0x2069)}`;
const COMMANDS = `${range(1, 8)}${range(0x0b, 0x1f)}[31m${range(0x7f, 0x9f)}${REVERSING}`;
const COMMAND = /[^\P{Cc}\n\t]|[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/u;

interface Parts {
  readonly version?: string;
  readonly schema?: object;
  readonly operations?: object;
}

/** A contract with commands in each of its strings that is not one of OpenAPI's own words. */
function toContract({ version = '1.0.0', schema = {}, operations = {} }: Parts): string {
  const name = `a${COMMANDS}`;
  const reply = { description: name, content: { 'application/json': { schema: { $ref: '#/components/schemas/A' } } } };
  const parameters = ['query', 'cookie'].map((place) => ({
    name,
    in: place,
    schema: { format: name, type: 'string' },
  }));
  const paths = {
    [`/a${REVERSING}`]: {
      get: { operationId: name, summary: name, tags: [name], parameters, responses: { '200': reply } },
    },
    ...operations,
  };
  const properties = { [name]: { type: 'string', pattern: `(a+${COMMANDS}*)+$`, default: 5, enum: [name] } };
  return JSON.stringify({
    ...{ openapi: '3.1.0', info: { title: name, version }, security: [{ [name]: [] }], tags: [{ name }], paths },
    components: {
      securitySchemes: { [name]: { type: 'http', scheme: 'bearer' } },
      schemas: { A: { type: 'object', properties, [name]: 1, ...schema }, [name]: { not: { type: 'null' } } },
    },
  });
}

const RIGHT = toContract({});
const WRONG = toContract({
  schema: { type: COMMANDS, required: [COMMANDS], $ref: `#/nowhere${COMMANDS}` },
  operations: {
    [`/b${COMMANDS}`]: { get: { parameters: [{ $ref: `#/nowhere${COMMANDS}` }], responses: {}, [COMMANDS]: 1 } },
    '/c': { $ref: `./other${COMMANDS}.yaml` },
  },
});
const OTHER = toContract({
  operations: { '/c': { get: { operationId: 'c', responses: { '200': { $ref: `./parts${REVERSING}.yaml` } } } } },
});

function write(contract: string): void {
  mkdirSync(join(folder, 'contracts'), { recursive: true });
  writeFileSync(join(folder, 'contracts/1.0.0.yaml'), RIGHT.replaceAll('"get":', '"put":'));
  writeFileSync(join(folder, 'openapi.yaml'), contract);
  writeFileSync(join(folder, 'package.json'), '{}');
  writeFileSync(join(folder, `parts${REVERSING}.yaml`), JSON.stringify({ description: COMMANDS }));
}

function run(command: readonly string[]): { readonly stdout: string; readonly printed: string } {
  const { stdout, stderr } = spawnSync(process.execPath, command, { cwd: folder, encoding: 'utf8' });
  return { stdout, printed: stdout + stderr };
}

const ARGUMENT = `a${COMMANDS}`;

test.each([
  ['a right one', RIGHT, ['check']],
  ['a right one', RIGHT, ['check', '--strict']],
  ['a newer one', RIGHT.replace('"version":"1.0.0"', '"version":"2.0.0"'), ['check']],
  ['a wrong one', WRONG, ['check']],
  ['a wrong one', WRONG, ['check', '--keep-going']],
  ['one of several files', OTHER, ['check']],
  ['a wrong one', WRONG, ['generate']],
  ['a right one', RIGHT, ['generate']],
  ['a right one', RIGHT, ['bundle']],
  ['a wrong one', WRONG, ['bundle']],
  ['one of several files', OTHER, ['bundle']],
  ['no YAML', `a: "${REVERSING}`, ['check']],
  ['a right one', RIGHT, [ARGUMENT]],
  ['a right one', RIGHT, ['check', ARGUMENT]],
  ['a right one', RIGHT, ['check', '--root', ARGUMENT]],
  ['a right one', RIGHT, ['check', '--project', ARGUMENT]],
  ['a right one', RIGHT, ['check', `--${ARGUMENT}`]],
  ['a right one', RIGHT, ['bundle', ARGUMENT]],
])('no byte of a contract that is printed commands a terminal: %s, %#', (_, contract, args) => {
  write(contract);
  const { printed } = run([...CONTRACT_KIT, ...args]);
  expect(printed).not.toBe('');
  expect(printed).not.toMatch(COMMAND);
});

test.each([
  ['one file', RIGHT],
  [
    'one file that is not JSON',
    `# ${REVERSING}\nbig: 9007199254740993\nopenapi: 3.1.0\ninfo: { title: 'a${REVERSING}' }\n`,
  ],
])('bundle escapes terminal commands without changing the document: %s', (_, contract) => {
  write(contract);
  const { stdout } = run([...CONTRACT_KIT, 'bundle']);
  expect(stdout).not.toMatch(COMMAND);
  expect(parseYaml(stdout, 'bundle')).toEqual(parseYaml(contract, 'openapi.yaml'));
});

test.each([
  ['a wrong contract', ['--contract', 'packages/test-support/plants/openapi.yaml', ARGUMENT]],
  ['a missing contract', ['--contract', ARGUMENT, 'project']],
  ['an unknown option', [`--${ARGUMENT}`]],
  ['a folder too many', ['--contract', 'packages/test-support/plants/openapi.yaml', ARGUMENT, ARGUMENT]],
])('no byte that new prints commands a terminal: %s', (_, args) => {
  write(toContract({ schema: { type: COMMANDS } }));
  const { printed } = run([...FROM_SOURCE, resolve('scripts/new.ts'), ...args]);
  expect(printed).not.toMatch(COMMAND);
});

test('no byte of a contract that dev prints commands a terminal', async () => {
  write(WRONG);
  mkdirSync(join(folder, 'src'), { recursive: true });
  writeFileSync(join(folder, 'tsconfig.json'), '{ "files": [] }');
  const dev = spawn(process.execPath, [...CONTRACT_KIT, 'dev'], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  let printed = '';
  for (const stream of [dev.stdout, dev.stderr]) stream.setEncoding('utf8');
  dev.stdout.on('data', (text: string) => (printed += text));
  dev.stderr.on('data', (text: string) => {
    printed += text;
    if (printed.includes('no server is running')) dev.kill('SIGTERM');
  });
  await once(dev, 'close');
  expect(printed).toContain('\\u{202e}');
  expect(printed).not.toMatch(COMMAND);
});
