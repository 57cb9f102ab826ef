import { readFileSync } from 'node:fs';
import { startEov } from '@contract-kit/test-support/start-eov';
import { runCase } from '../src/exchange/run-case';
import { titleOf, type Case } from '../src/generators/case';
import { readModel, type Parameter } from '../src/contract/model';
import { createSuite } from '../src/suite';
import { interpretationsOf } from '../src/values/interpretations';
import { Raw, type Json } from '../src/wire/json';
import { findContent, writeParameter } from '../src/contract/serialization';

const EVERYTHING = readFileSync('packages/test-support/fixtures/contracts/everything.yaml', 'utf8');
const COLOURS = { text: 'blue', list: ['blue', 'black', 'brown'], object: { R: 100n, G: 200n, B: 150n } };

/** A parameter as it is read from a contract. */
function parameterOf(place: string, style: string, explode: boolean): Parameter {
  const parameter = { name: 'color', in: place, required: true, style, explode, schema: {} };
  const operation = { operationId: 'read', parameters: [parameter], responses: { 200: { description: '' } } };
  const contract = { openapi: '3.1.0', paths: { '/': { get: operation } } };
  const [read] = readModel(JSON.stringify(contract)).operations[0]?.parameters ?? [];
  if (!read) throw new Error('there is no parameter');
  return read;
}

// OpenAPI 3.1.1, Style Examples; their delimiters encoded where RFC 3986 wants it. `npm run check -- judges` has those of
// RFC 6570.
test.each<[place: string, style: string, explode: boolean, text: string, list: string, object: string]>([
  ['query', 'spaceDelimited', false, 'color=blue', 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['query', 'pipeDelimited', false, 'color=blue', 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['header', 'simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['header', 'simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ['cookie', 'form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
])('%s, %s, explode %s is written as OpenAPI has it', (place, style, explode, ...expected) => {
  const parameter = parameterOf(place, style, explode);
  const written = Object.values(COLOURS).map((value: Json) => writeParameter(parameter, value).join('&'));
  expect(written).toEqual(expected);
});

test('before an empty value in the style matrix is no equals sign', () => {
  expect(writeParameter(parameterOf('path', 'matrix', true), '')).toEqual([';color']);
  expect(writeParameter(parameterOf('path', 'matrix', true), ['', 'a'])).toEqual([';color;color=a']);
  expect(writeParameter(parameterOf('path', 'matrix', true), { R: '', G: 1n })).toEqual([';R;G=1']);
});

test('all characters but unreserved ones are percent-encoded, outside headers', () => {
  expect(writeParameter(parameterOf('path', 'simple', false), "~!'()*")).toEqual(['~%21%27%28%29%2A']);
  expect(writeParameter(parameterOf('query', 'form', true), { "it's": '!' })).toEqual(['it%27s=%21']);
  expect(writeParameter(parameterOf('header', 'simple', false), '!')).toEqual(['!']);
});

test('a deep object is written with a name for each member', () => {
  expect(writeParameter(parameterOf('query', 'deepObject', true), COLOURS.object)).toEqual([
    'color[R]=100',
    'color[G]=200',
    'color[B]=150',
  ]);
});

test.each([
  ['{ type: integer }', '01', []],
  ['{ type: integer }', '1e2', [100n]],
  ['{ anyOf: [{ type: boolean }, { type: array, items: { type: string } }] }', 'true', [true, ['true']]],
  ['{ anyOf: [{ type: boolean }, { type: array, items: { type: string } }] }', 'a', [['a']]],
  ['{ anyOf: [{ type: boolean }, { type: array, items: { type: integer } }] }', 'true', [true]],
  ['{ type: [integer, string] }', '1', [1n, '1']],
  ['{ type: boolean }', 'True', []],
  ['{ type: array, items: { type: integer } }', '7', [[7n]]],
  ['{ type: [integer, "null"] }', 'null', undefined],
])('where the schema is %s, the text %s means %j', (schema, text, interpretations) => {
  const source = `{ openapi: 3.1.0, paths: { /: { get: { operationId: a, responses: {}, parameters: [
    { name: a, in: query, schema: ${schema} }] } } } }`;
  const [parameter] = readModel(source).operations[0]?.parameters ?? [];
  // A list of one is sent as the same text.
  const sent = [new Raw(text), ...(schema.includes('array') ? [[text]] : [])];
  for (const value of sent) expect(parameter && interpretationsOf(parameter.schema, value)).toEqual(interpretations);
});

test.each(['{ minLength: 7 }', '{ pattern: "^.{7,}$", maxLength: 30 }'])(
  'a text is valid for %s, which has no type, only if it is valid however it is read',
  (schema) => {
    const source = `{ openapi: 3.1.0, paths: { /: { get: { operationId: a, responses: { 200: {} }, parameters: [
      { name: a, in: query, required: true, schema: ${schema} }] } } } }`;
    const accepted = createSuite(source, { marker: 'text' }).cases.filter(
      ({ expect: wanted }) => wanted === 'accepted',
    );
    const texts = accepted.map(({ request }) => decodeURIComponent(/[?&]a=([^&]*)/.exec(request.target)?.[1] ?? ''));
    expect(texts.filter((text) => !/^.{7,}$/su.test(text))).toEqual([]);
    expect(texts.length).toBeGreaterThan(1);
  },
);

const WITH_EMPTY = EVERYTHING.replace('name: exact,', 'name: exact, allowEmptyValue: true,');
const everything = createSuite(WITH_EMPTY, { marker: 'text', level: 'robust' });
const find = (title: RegExp): string[] =>
  everything.cases.filter((one) => title.test(titleOf(one))).map(({ expect }) => expect);

test.each([
  [/^readWithEither auth .* security requirement \d, \w+$/, ['accepted', 'accepted', 'accepted', 'accepted']],
  [/^readWithBoth auth .* without \w+, with \w+$/, ['refused', 'refused']],
  [/^sendMixed auth .* without \w+, with /, ['refused', 'refused', 'refused']],
  [/^readBasic auth .* the secret with a wrong password$/, ['wrong credentials']],
  [/^readWithQueryKey auth .* the secret in a cookie$/, ['refused']],
  [/^readWithEither auth .* security requirement 0, with a wrong secret of headerKey$/, ['accepted']],
  [/^sendBody media-type .* the type (?:application|text)\/[\w.-]+(?:\+json)?; x="a;b"$/, Array(5).fill('accepted')],
  // Another scheme has its secret there, which may be the same.
  [/^readWithEither auth .* the secret as a token$/, []],
  [/^readWithQueryKey auth .* the secret as a token$/, ['refused']],
  [/^sendForm malformed .* an invalid percent-encoding$/, ['refused']],
  [/^sendBody negative .* text\/plain, maxLength\+1 in ASCII$/, ['refused']],
  [/^readForm parameter .* query spread, type, null$/, []],
  [/^readMatrix parameter .* path pairs, type, null$/, []],
  [/^readForm parameter .* query exact, type, an empty string$/, []],
  [/^readJson parameter .* cookie box, int64 maximum\+1$/, ['refused']],
])('the cases %s are there', (title, expected) => {
  expect(find(title)).toEqual(expected);
});

const FILE = 'packages/test-support/fixtures/parameters.yaml';

/** Texts of parameters of which only `Number()` makes a number. */
const WRITTEN_LENIENTLY = /, written "(?:\+1|01|1\.|0x1|0b1|Infinity|\s*1\s*|1\\n)"$/;

// What that reader lets through, or refuses, as it comes.
const HOLES = [
  'query limit, far beyond, 1e400',
  'query deep, left out',
  'header X-Depth, far beyond, 1e400',
  'cookie flavour, maxLength+1 in ASCII',
  'cookie flavour, maxLength+1 in astral characters',
];

// Of the styles that express-openapi-validator reads as its documentation has it; the kit has to read all of them.
test('another reader of the contract tells right parameters from wrong ones, but for known holes', async () => {
  await using eov = await startEov(
    { apiSpec: FILE, validateSecurity: { handlers: { token: () => true } } },
    (_req, res) => void res.json(['a']),
  );

  const suite = createSuite(readFileSync(FILE, 'utf8'), { marker: 'abc', level: 'robust' });
  const target = { base: eov.base, secrets: { token: 'any' }, timeout: 60_000 };
  const cases = suite.cases.filter((one) => one.class === 'parameter');
  const wrong: Case[] = [];
  for (const one of cases) {
    const { replies } = await runCase(suite.oracleFor(target.secrets), target, one);
    // The validator compiles the contract before its first reply, which takes seconds on a busy machine.
    expect(replies).not.toEqual([]);
    const isAccepted = replies.every(({ status }) => status < 400);
    if (isAccepted !== (one.expect === 'accepted')) wrong.push(one);
  }

  expect(wrong.map(({ label }) => label).filter((label) => !WRITTEN_LENIENTLY.test(label))).toEqual(HOLES);
  expect(cases.length).toBeGreaterThan(60);
});

const CONTRACT = `openapi: 3.0.3
info: { title: Notes, version: 1.0.0 }
paths:
  /notes:
    post:
      operationId: keepNote
      requestBody:
        content:
          application/vnd.note+json; version=1: { schema: { type: object, properties: { a: { type: string } } } }
          application/vnd.note+json; version=2: { schema: { type: array, items: { type: string } } }
      responses: { '204': { description: Kept. } }
`;

const notes = createSuite(CONTRACT, { marker: 'mark', level: 'robust' });
const contents = notes.model.operations.flatMap(({ body }) => body?.contents ?? []);

test.each([
  ['application/vnd.note+json; version=2', 1],
  ['Application/Vnd.Note+JSON;charset=utf-8;VERSION=2', 1],
  ['application/vnd.note+json; version=1', 0],
])('%s is the one with the most parameters', (type, index) => {
  expect(findContent(contents, type)).toBe(contents[index]);
});

test('a media type is sent with the parameters that the contract has', () => {
  const right = notes.cases.filter(
    ({ expect: wanted, request }) => wanted === 'accepted' && request.body !== undefined,
  );
  const types = right.flatMap(({ request }) => request.headers.filter(([name]) => name === 'Content-Type'));
  expect(new Set(types.map(([, value]) => value))).toEqual(new Set(contents.map(({ mediaType }) => mediaType)));
});

/** The cases of an operation with these parameters, written in YAML. */
function casesWith(parameters: string): readonly Case[] {
  const contract = `{ openapi: 3.1.0, info: { title: A, version: 1.0.0 }, paths: { /a: { post: { operationId: a,
    responses: { '204': { description: Done. } }, requestBody: { content: { text/plain: { schema: { type: string } } } },
    parameters: [${parameters}] } } } }`;
  return createSuite(contract, { marker: 'a marker that does not fit', level: 'contract' }).cases;
}

const isAccepted = (one: Case): boolean => one.expect === 'accepted';

test.each([
  ['{ type: string, minLength: 3, maxLength: 10 }', /^\S.{1,8}\S$/],
  ['{ type: string, minLength: 5, maxLength: 5 }', /^\S.{3}\S$/],
  [
    '{ type: array, minItems: 2, items: { type: string, minLength: 2, maxLength: 9 } }',
    /^\S[^,]{0,7}\S(?:,\S[^,]{0,7}\S)+$/,
  ],
  ["{ enum: [' ', a] }", /^a$/],
])('a header of the schema %s is valid without the white space around it', (schema, valid) => {
  const accepted = casesWith(`{ name: X-Agent, in: header, required: true, schema: ${schema} }`).filter(isAccepted);
  const sent = accepted.map(({ request }) => request.headers.find(([name]) => name === 'X-Agent')?.[1]);
  expect(new Set(sent.map((text) => valid.test(text ?? '')))).toEqual(new Set([true]));
});

test('no request has a content coding that its body is not in', () => {
  const cases = casesWith('{ name: Content-Encoding, in: header, schema: { enum: [identity, gzip] } }');
  const names = new Set(cases.filter(isAccepted).flatMap(({ request }) => request.headers.map(([name]) => name)));
  expect(names).toContain('Content-Type');
  expect(names).not.toContain('Content-Encoding');
});

test('the header Cookie is not left out of a request that needs a cookie', () => {
  const suiteOf = (schema: string): readonly Case[] =>
    casesWith(`{ name: Cookie, in: header, required: true, schema: ${schema} },
      { name: s, in: cookie, required: true, schema: { type: string } }`);
  const [any, other] = ['{ type: string }', '{ const: other }'].map(suiteOf);
  const labels = any?.flatMap(({ label, expect: wanted }) => (wanted === 'refused' ? [label] : []));
  expect(labels).toContain('cookie s, left out');
  expect(labels).not.toContain('header Cookie, left out');
  expect([any, other].map((cases) => cases?.some(isAccepted))).toEqual([true, false]);
});
