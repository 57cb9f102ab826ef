import { createHash } from 'node:crypto';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { load } from 'js-yaml';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { loadContract } from '../src/load-contract';
import { ContractError } from '../src/text/document-error';

const WRONG_VALUES = [null, {}, [], 'x', 0, true];
// A prime number: every value meets every kind of node.
const STRIDE = 7;

type Keys = readonly string[];

function* listPlaces(node: unknown, keys: Keys = []): Generator<Keys> {
  yield keys;
  if (typeof node !== 'object' || node === null) return;
  for (const [key, member] of Object.entries(node)) yield* listPlaces(member, [...keys, key]);
}

/** A copy of a document with another value in one place. */
function replace(node: unknown, [key, ...rest]: Keys, value: unknown): unknown {
  if (key === undefined) return value;
  const copy = (Array.isArray(node) ? [...(node as unknown[])] : { ...(node as object) }) as Record<string, unknown>;
  copy[key] = replace(copy[key], rest, value);
  return copy;
}

const file = join(useFolder(), 'openapi.yaml');

/** The message of the ContractError that loading a contract throws, without the file; empty if it throws none. */
function loadError(document: unknown): string {
  const source = JSON.stringify(document);
  writeFileSync(file, source);
  const digest = createHash('sha256').update(source).digest('hex');
  try {
    loadContract(file, digest);
    return '';
  } catch (error) {
    return error instanceof ContractError ? error.message.replaceAll(file, '') : String(error);
  }
}

const PATHS = { '/a': { get: { operationId: 'a', responses: { 204: { description: 'Done.' } } } } };
const CONTRACT = { openapi: '3.1.0', info: { title: 'A', version: '1' }, paths: PATHS };

test.each<[object | null, string]>([
  [{ ...CONTRACT, servers: {} }, '#/servers servers must be a list'],
  [{ ...CONTRACT, servers: [{ url: 5 }] }, '#/servers/0/url url must be a string'],
  [{ ...CONTRACT, servers: [{ description: 'Here.' }] }, '#/servers/0 needs url'],
  // A server cannot be a reference.
  [{ ...CONTRACT, servers: [{ $ref: '#/info' }] }, '#/servers/0 needs url'],
  [{ ...CONTRACT, paths: { '/a': { servers: {}, get: {} } } }, '#/paths/~1a/servers servers must be a list'],
  [{ ...CONTRACT, paths: { '/a': { get: { servers: [{}] } } } }, '#/paths/~1a/get/servers/0 needs url'],
  [{ ...CONTRACT, security: 'none' }, '#/security security must be a list'],
  [{ ...CONTRACT, info: null }, '#/info info must be an object'],
  [null, ' is not an object'],
  [
    { ...CONTRACT, paths: { '/a': { get: { responses: { 200: { $ref: '#/info/title' } }, requestBody: 5 } } } },
    '#/paths/~1a/get/requestBody requestBody must be an object\n#/paths/~1a/get/responses/200/$ref #/info/title does not exist',
  ],
  [
    { ...CONTRACT, paths: { '/a': { get: { requestBody: { $ref: '#/info' } } } } },
    '#/paths/~1a/get/requestBody/$ref #/info is not a Request Body Object',
  ],
])('a contract is refused with each place of a wrong node: %j', (document, message) => {
  expect(loadError(document)).toBe(message);
});

test('components that no operation needs may have nodes of the wrong kind', () => {
  const components = { responses: { Gone: null }, parameters: 'none', headers: { 'X-A': { required: 'yes' } } };
  expect(loadError({ ...CONTRACT, components })).toBe('');
});

test('schemas that refer to each other more deeply than the stack are refused at the operation', () => {
  const to = (index: number): object => ({ $ref: `#/components/schemas/S${String(index)}` });
  const schemas = Object.fromEntries(
    Array.from({ length: 9_000 }, (_, index) => [`S${String(index)}`, { properties: { n: to((index + 1) % 9_000) } }]),
  );
  const responses = { 200: { description: 'Fine.', content: { 'application/json': { schema: to(0) } } } };
  const document = { ...CONTRACT, paths: { '/a': { get: { operationId: 'a', responses } } }, components: { schemas } };
  expect(loadError(document)).toBe('#/paths/~1a/get refers to schemas that are nested too deeply to be read');
});

const FIXTURES = ['things', 'lending', 'keywords', 'parameters', 'forms', 'archive'];

test.each([...FIXTURES, 'contracts/features', 'contracts/corners'])(
  'a contract like %s with a node of the wrong kind anywhere is loaded, or refused with a ContractError that has a place',
  (name) => {
    const document = load(readFileSync(`packages/test-support/fixtures/${name}.yaml`, 'utf8'));
    const variants = [...listPlaces(document)].flatMap((keys) => WRONG_VALUES.map((value) => ({ keys, value })));
    const failures = variants.flatMap(({ keys, value }, index) => {
      if (index % STRIDE !== 0) return [];
      const message = loadError(replace(document, keys, value));
      const hasPlace = message === '' || /^(?:#|:\d+:\d+ | is not an object)/.test(message);
      return hasPlace ? [] : [`${keys.join('/')} = ${JSON.stringify(value)}: ${message}`];
    });
    expect(failures).toEqual([]);
  },
);
