import { readFileSync } from 'node:fs';
import { parseYaml } from '../src/1-parse/parse-yaml';
import type { Document, NormalizedDocument } from '../src/2-resolve/document';
import type { NormalizedSchema as Schema } from '../src/2-resolve/schema';
import { ANYTHING, readContent } from '../src/5-messages/content';
import { parseMediaType } from '../src/5-messages/media-type';
import { findMedia } from '../src/5-messages/message';
import { readOperations } from '../src/load-contract';

const MEDIA = readFileSync('packages/test-support/fixtures/media.yaml', 'utf8');

test('what has rules that are not checked is known', () => {
  const { operations } = readOperations(load());
  const [body] = operations;
  const unchecked = [...(body?.body?.media.values() ?? [])].filter(({ hasUnchecked }) => hasUnchecked);
  expect(unchecked.map(({ key }) => key)).toEqual(['application/xml', 'text/csv', 'application/pdf']);
});

test.each<[string, Schema, string]>([
  ['*/*', { type: 'string' }, 'text'],
  ['*/*', { type: 'integer' }, 'json'],
  ['*/*', {}, 'binary'],
  ['application/*', { type: ['null', 'integer'] }, 'json'],
  ['application/*', { type: ['null', 'string'] }, 'binary'],
  ['image/*', { type: 'integer' }, 'binary'],
])('%s of %j is %s', (type, schema, kind) => {
  expect(readContent(loadNormalized(), { [type]: { schema } }, true)).toMatchObject([{ kind }]);
});

test.each([
  [['*/*', 'application/*'], '*/*', 'application/json'],
  [['application/*', 'application/json'], 'application/*', 'application/json'],
  [['application/*', 'application/json; v=1'], 'application/*', 'application/json; v=1'],
])('of %j, the narrowest has the type of JSON', (keys, ...types) => {
  const content = Object.fromEntries(keys.map((key) => [key, { schema: { type: 'integer' } }]));
  expect(readContent(loadNormalized(), content, true).map(({ type }) => type)).toEqual(types);
});

test('a key may list media types', () => {
  const key = 'text/csv, application/json ,text/plain;charset=utf-8';
  const all = readContent(loadNormalized(), { [key]: { schema: { type: 'string' } } }, true);
  const kinds = Object.fromEntries(all.map(({ type, kind }) => [type, kind]));
  expect(kinds).toEqual({ 'text/csv': 'text', 'application/json': 'json', 'text/plain;charset=utf-8': 'text' });
  expect(new Set(all.map((one) => one.key))).toEqual(new Set([key]));
});

test('a comma in quotes does not end a media type', () => {
  const keys = ['application/ld+json; profile="a,b\\",c"', 'text/csv'];
  const all = readContent(loadNormalized(), { [keys.join(', ')]: {} }, true);
  expect(all.map(({ type }) => type)).toEqual(keys);
  expect(all[0]?.declared.parameters).toEqual(['profile=a,b",c']);
});

test.each(['text/plain,', 'a/b; c="d,text/plain', 'a/b; c="d\\", text/plain'])(
  '%j has a part that is not a media type',
  (key) => {
    expect(() => readContent(loadNormalized(), { [key]: {} }, true)).toThrow(`${key} is not a media type`);
  },
);

test('names and charsets ignore case, and the values of other parameters do not', () => {
  const type = parseMediaType('Application/LD+JSON; Profile="http://x/A"; Charset=UTF-8');
  expect(type).toEqual({ name: 'application/ld+json', parameters: ['profile=http://x/A'], charset: 'utf-8' });
});

test.each([
  ['text/csv; charset=utf-8', 'text/csv; charset=iso-8859-1', false],
  ['text/csv; charset=utf-8', 'text/csv; charset=UTF8', true],
  ['text/csv; charset=utf-8', 'text/csv', true],
  ['text/csv; charset=iso-8859-1', 'text/csv', false],
  ['text/csv', 'text/csv; charset=iso-8859-1', true],
  ['text/csv; profile="http://x/A"', 'text/csv; profile="http://x/A"', true],
  ['text/csv; profile="http://x/A"', 'text/csv; profile="http://x/a"', false],
])('bytes declared as %s: whether %s is found is %j', (declared, sent, isFound) => {
  const content = { [declared]: { schema: { type: 'string', format: 'binary' } } };
  const media = new Map(readContent(loadNormalized(), content, false).map((one) => [one.type, one]));
  expect(findMedia(media, sent) !== undefined).toBe(isFound);
});

test('the rules of a text that has no type are not checked', () => {
  const content = { 'text/plain': { schema: { enum: ['a'] } }, 'text/csv': {} };
  const [text, csv] = readContent(loadNormalized(), content, true);
  expect(text).toMatchObject({ kind: 'text', hasUnchecked: true });
  expect(text?.schema).toBe(ANYTHING);
  expect(csv).toMatchObject({ kind: 'text', hasUnchecked: false });
});

const NO_TYPES = ['json', '*', '*/json', 'a/b/c', 'text/plain; charset', 'text/plain, json', 'a/b;c="\u0001"'];

test.each(NO_TYPES)('%j is not a media type', (type) => {
  const document = load();
  Object.assign(document.paths['/anything'] as object, {
    post: { responses: {}, requestBody: { content: { [type]: {} } } },
  });
  const [mistake] = readOperations(document).errors;
  expect(mistake?.message).toContain(`${type} is not a media type: write one such as`);
});

test('white space around a media type is spaces and tabs', () => {
  expect(parseMediaType('a/b \t')?.name).toBe('a/b');
  expect(parseMediaType('a/b\u000b')).toBeUndefined();
});

function load(): Document {
  return parseYaml(MEDIA, 'media.yaml') as Document;
}

/** The contract has no shorthands: as it is written, it is normalized. */
function loadNormalized(): NormalizedDocument {
  return load() as unknown as NormalizedDocument;
}
