import { globSync, readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { load } from 'js-yaml';
import type { UntypedHandler } from '../../packages/server/src/pipeline/pipeline';
import { mergeInto } from '../../tests/support/read-blocks';
import { loadText } from '../../tests/support/load-text';
import { postPlant, startApp, TOKEN, type RunningApp } from '../../tests/support/start-app';
import { makeClients, versionOf, MAKERS, type Clients, readBlocks, type Block } from './make-clients';

interface Reply {
  readonly status: number;
  readonly plant?: unknown;
  readonly error?: { readonly error: number; readonly message: string };
}

/** What as-they-come/main.ts prints of a client. */
type Seen = Readonly<Record<'fitting' | 'wrong' | 'large' | 'largest' | 'bigint', Reply | string>> & {
  readonly read: number;
};

const PAGE = 'docs/clients.md';
const EXACT = 'proofs/clients/exact';
const NOT_INTEGER: Reply = { status: 400, error: { error: 40009, message: 'request/body/id must be integer' } };
const names = MAKERS.map(({ name }) => name);
const blocks = [...readBlocks(PAGE), ...readExact()];
const rounding = 'src/with-hey-api-and-its-parser.ts';
const contract: unknown = load(readFileSync('openapi.yaml', 'utf8'));
// The contract of the plant store has no int64 in a reply.
const list = `
paths:
  /plants:
    get:
      operationId: listPlants
      responses:
        '200':
          description: The plants, with their ids.
          content: { application/json: { schema: { type: array, items: { $ref: '#/components/schemas/NewPlant' } } } }
        '400': { $ref: '#/components/responses/BadRequest' }
        '401': { $ref: '#/components/responses/Unauthorized' }
        '500': { $ref: '#/components/responses/InternalServerError' }
        '503': { $ref: '#/components/responses/ServiceUnavailable' }
`;
mergeInto(contract, load(list) as object);

let service: RunningApp;
let clients: Clients;
let seen: Readonly<Record<string, Seen>>;
beforeAll(async () => {
  service = await startApp({ contract: loadText(JSON.stringify(contract)) }, undefined, { listPlants });
  await postPlant(service.server, '{"id":9007199254740993,"name":"Exact"}').expect(200);
  clients = await makeClients({
    contract: JSON.stringify(contract),
    other: readFileSync('examples/nursery/openapi.yaml', 'utf8'),
    blocks: [...blocks, leaveOutText()].map((block) => ({
      ...block,
      text: block.text.replaceAll('http://127.0.0.1:3000', service.base.origin),
    })),
    env: { BASE: service.base.origin, TOKEN },
  });
  seen = JSON.parse(await clients.run('as-they-come/main')) as typeof seen;
});
afterAll(async () => {
  await service[Symbol.asyncDispose]();
  clients[Symbol.dispose]();
});

/** What the page adds to the contract: it replies with plants and their ids. */
const listPlants: UntypedHandler = (_request, reply) =>
  reply(
    200,
    service.rows().map(({ id, name, tag }) => ({ id, name, ...(tag !== null && { tag }) })),
  );

/** Programs and settings that the page only links, and the commands that make their clients. */
function readExact(): Block[] {
  const made = MAKERS.flatMap(({ toSettings, toCommand }) => (toSettings ? [toCommand('./openapi.yaml')] : []));
  return [
    ...globSync(`${EXACT}/**/*.{ts,mjs}`).map((file) => ({
      language: 'ts',
      file: relative(EXACT, file),
      text: readFileSync(file, 'utf8'),
    })),
    ...['node make-schema.mjs', ...made].map((text) => ({ language: 'sh', file: undefined, text })),
  ];
}

/** The program for hey-api, with replies as its client parses them. */
function leaveOutText(): Block {
  const text = textOf('src/with-hey-api.ts')
    .replace("parseAs: 'text', ", '')
    .replace('fromJson(String(list.data)) as NewPlant[]', 'list.data')
    .replace('fromJson, ', '')
    .replace(', type NewPlant', '');
  return { language: 'ts', file: rounding, text };
}

function textOf(file: string): string {
  return blocks.find((block) => block.file === file)?.text ?? '';
}

/** The row of the page for a client, without the widths of columns. */
function toRow(name: string): string {
  const { packages = [] } = MAKERS.find((maker) => maker.name === name) ?? {};
  const [own = '', ...others] = packages;
  const version = [versionOf(own), ...others.map((other) => `${other} ${versionOf(other)}`)];
  const cells = [
    name,
    version.join(', '),
    toCell(seen[name]?.bigint),
    clients.mistakes.some((mistake) => mistake.startsWith(`other/${name}/`))
      ? 'does not compile: `uploadPhoto`'
      : 'compiles',
  ];
  return `| ${cells.join(' | ')} |`;
}

function toCell(bigint: Reply | string | undefined): string {
  if (bigint === 'TypeError: Do not know how to serialize a BigInt') return 'throws a `TypeError`';
  expect(bigint).toEqual(NOT_INTEGER);
  return 'is sent as a string: 400';
}

test.each(names)('%s: the page says what it does', (name) => {
  expect(readFileSync(PAGE, 'utf8').replaceAll(/ +/g, ' ')).toContain(toRow(name));
});

// as-they-come/main.ts says number, and compiles.
test.each(names)('%s: an id beyond 2^53 is another one in the store and in a reply, as the page says', (name) => {
  const stored = service.rows().filter((row) => row.name === name && row.id !== 1n);
  expect([...stored.map(({ id }) => id), seen[name]?.read].map(String)).toEqual([
    '9007199254740992',
    '9007199254740992',
  ]);
  expect(readFileSync(PAGE, 'utf8')).toMatch(
    /9007199254740993,\sthe\sservice\sstores\s9007199254740992.*9007199254740993,\syou\sread\s9007199254740992/s,
  );
});

test.each(names)('%s: a reply of 200 is a Plant, one of 400 an Error', (name) => {
  expect(seen[name]).toMatchObject({ fitting: { status: 200, plant: { name } }, wrong: NOT_INTEGER });
});

test.each(names)('%s: what rounds to beyond int64 is refused', (name) => {
  expect(seen[name]?.largest).toMatchObject({ status: 400, error: { error: 40009 } });
});

test('kubb sends no Content-Type', () => {
  expect(seen['kubb without Content-Type']?.fitting).toMatchObject({ status: 400, error: { error: 40005 } });
});

test('all that is made compiles, but uploadPhoto of orval', () => {
  expect(clients.mistakes.filter((line) => !line.startsWith(' '))).toEqual([
    expect.stringMatching(/^other\/orval\/client\.ts\(\d+,\d+\): error TS2769/),
  ]);
  expect(clients.mistakes.join('\n')).toContain("Type 'Blob | PhotoForm' is not assignable");
});

test.each(names)('%s: the code of the page sends and reads exactly', async (name) => {
  const [, id = ''] = / id: (\d+)n,/.exec(textOf(`src/with-${name}.ts`)) ?? [];
  expect(String(Number(id))).not.toBe(id);
  const output = await clients.run(`page/src/with-${name}`);
  expect(service.rows()).toContainEqual({ id: BigInt(id), name: 'Rose', tag: null });
  expect(output).toMatch(new RegExp(`^Rose\\n.* ${id}n\\b`, 's'));
});

test('the bigints of hey-api are rounded numbers, unless the code of the page reads the reply', async () => {
  const output = await clients.run(`page/${rounding.replace('.ts', '')}`);
  expect(output).toContain(' 9007199254740996');
  expect(output).not.toMatch(/9007199254740995|\dn/);
});
