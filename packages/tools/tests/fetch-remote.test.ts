import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { parseYaml, type Document } from '@contract-kit/server/contract';
import { bundleContract } from '../src/bundle/bundle-contract';
import { fetchRemote } from '../src/bundle/fetch-remote';
import { useFolder } from '../../../tests/support/use-folder';

const FILES: Readonly<Record<string, string>> = {
  '/schemas/pet.yaml?raw=true': 'Pet: { properties: { tag: { $ref: ./parts/tag }, id: { $ref: /.id.json } } }\n',
  '/schemas/parts/tag': 'type: string\nmaxLength: 7\n',
  '/.id.json': '{ "type": "integer", "maximum": 9007199254740993 }',
  '/large.yaml': `type: string\ndescription: ${'x'.repeat(2000)}\n`,
  '/wrong.yaml': 'type: [\n',
  '/file.yaml': 'items: { $ref: "file:///etc/passwd" }\n',
};
const LIMITS = { files: 3, bytes: 1000, milliseconds: 10_000 };

const folder = useFolder();
const file = join(folder, 'openapi.yaml');
const server = createServer(({ url = '' }, response) => {
  const location = {
    '/moved.yaml': '/schemas/parts/tag',
    '/away.yaml': 'file:///etc/passwd',
    '/ring.yaml': '/ring.yaml',
  }[url];
  if (url === '/slow.yaml') return;
  if (location !== undefined) response.writeHead(302, { location });
  else if (FILES[url] === undefined) response.writeHead(404);
  response.end(FILES[url]);
});
let host: string;

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  host = `127.0.0.1:${String((server.address() as AddressInfo).port)}`;
});

afterEach(() => {
  rmSync(join(folder, 'contract'), { recursive: true, force: true });
});

afterAll(() => {
  server.close().closeAllConnections();
});

/** Writes a contract with a schema for each reference. */
function writeContract(...paths: string[]): void {
  const schemas = Object.fromEntries(
    paths.map((path, index) => [`S${String(index)}`, { $ref: `http://${host}${path}` }]),
  );
  const responses = {
    200: { description: 'Any.', content: { 'application/json': { schema: { $ref: '#/components/schemas/S0' } } } },
  };
  const contract = {
    openapi: '3.0.3',
    info: { title: 'A', version: '1.0.0' },
    paths: { '/a': { get: { responses } } },
  };
  writeFileSync(file, JSON.stringify({ ...contract, components: { schemas } }));
}

function bundle(): Promise<{ source: string }> {
  return bundleContract(readFileSync(file, 'utf8'), file);
}

test('what a contract refers to on other hosts is fetched once, and read from its folder then', async () => {
  writeContract('/schemas/pet.yaml?raw=true#/Pet', '/moved.yaml');
  await expect(bundle()).rejects.toThrow('is remote: contract-kit bundle --fetch copies it');
  const lines = await fetchRemote(file);
  const names = ['schemas/pet.yaml%3Fraw%3Dtrue.yaml', 'moved.yaml', 'schemas/parts/tag.yaml', '%2Eid.json'];
  const paths = names.map((name) => join('contract/remote', encodeURIComponent(host), name));
  expect(lines).toEqual(paths.map((path) => expect.stringContaining(`${path}: `) as string));
  expect(lines[2]).toMatch(/: 26 bytes of http:\S+\/schemas\/parts\/tag$/);

  const { source } = await bundle();
  expect(source).toContain('maximum: 9007199254740993');
  const { components } = parseYaml(source, file) as Document;
  expect(components?.['schemas']).toMatchObject({ S0: { $ref: expect.stringMatching('#/') as string } });
  expect(source).not.toContain('http:');
});

test.each([
  ['a file that is not there', ['/none.yaml'], 'answers 404'],
  ['a redirect to another scheme', ['/away.yaml'], 'redirects to file:///etc/passwd, which is not http:'],
  ['redirects without an end', ['/ring.yaml'], 'redirects more than 5 times'],
  ['more bytes than allowed', ['/large.yaml'], 'is too large, or all files together are'],
  ['more files than allowed', ['/.id.json', '/moved.yaml', '/file.yaml'], 'more than 3 files'],
  ['what is no YAML', ['/wrong.yaml'], '/wrong.yaml:'],
  ['an answer that does not come', ['/slow.yaml'], 'timeout'],
])('%s ends it, and nothing is written', async (_title, paths, message) => {
  writeContract('/schemas/parts/tag', ...paths);
  await expect(fetchRemote(file, undefined, { ...LIMITS, milliseconds: 1000 })).rejects.toThrow(new RegExp(message));
  expect(existsSync(join(folder, 'contract'))).toBe(false);
});

test('a file of the machine is none that a fetched one may name', async () => {
  writeContract('/file.yaml');
  await fetchRemote(file);
  await expect(bundle()).rejects.toThrow(/file\.yaml:1:16 "file:\/\/\/etc\/passwd" is remote: put it into/);
});
