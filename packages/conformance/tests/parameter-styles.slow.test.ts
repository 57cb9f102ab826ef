import { readFileSync } from 'node:fs';
import { titleOf } from '../src/generators/case';
import { readModel, type Parameter } from '../src/contract/model';
import { createSuite } from '../src/suite';
import { interpretationsOf } from '../src/values/interpretations';
import { Raw, type Json } from '../src/wire/json';
import { writeParameter } from '../src/contract/serialization';

const EVERYTHING = readFileSync('tests/fixtures/contracts/everything.yaml', 'utf8');
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

// OpenAPI 3.1.1, Style Examples; their delimiters encoded where RFC 3986 wants it.
test.each<[place: string, style: string, explode: boolean, text: string, list: string, object: string]>([
  ['path', 'matrix', false, ';color=blue', ';color=blue,black,brown', ';color=R,100,G,200,B,150'],
  ['path', 'matrix', true, ';color=blue', ';color=blue;color=black;color=brown', ';R=100;G=200;B=150'],
  ['path', 'label', false, '.blue', '.blue,black,brown', '.R,100,G,200,B,150'],
  ['path', 'label', true, '.blue', '.blue.black.brown', '.R=100.G=200.B=150'],
  ['path', 'simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['path', 'simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ['query', 'form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
  ['query', 'form', true, 'color=blue', 'color=blue&color=black&color=brown', 'R=100&G=200&B=150'],
  ['query', 'spaceDelimited', false, 'color=blue', 'color=blue%20black%20brown', 'color=R%20100%20G%20200%20B%20150'],
  ['query', 'pipeDelimited', false, 'color=blue', 'color=blue%7Cblack%7Cbrown', 'color=R%7C100%7CG%7C200%7CB%7C150'],
  ['header', 'simple', false, 'blue', 'blue,black,brown', 'R,100,G,200,B,150'],
  ['header', 'simple', true, 'blue', 'blue,black,brown', 'R=100,G=200,B=150'],
  ['cookie', 'form', false, 'color=blue', 'color=blue,black,brown', 'color=R,100,G,200,B,150'],
])('%s, %s, explode %s is written as OpenAPI has it', (place, style, explode, ...expected) => {
  const parameter = parameterOf(place, style, explode);
  const written = Object.values(COLOURS).map((value: Json) => {
    const { path, query, header, cookie } = writeParameter(parameter, value);
    return path ?? query?.join('&') ?? header?.[1] ?? cookie;
  });
  expect(written).toEqual(expected);
});

test('a deep object is written with a name for each member', () => {
  const { query } = writeParameter(parameterOf('query', 'deepObject', true), COLOURS.object);
  expect(query).toEqual(['color[R]=100', 'color[G]=200', 'color[B]=150']);
});

test.each([
  ['{ type: integer }', '01', []],
  ['{ type: integer }', '1e2', [100n]],
  ['{ type: [integer, string] }', '1', [1n, '1']],
  ['{ type: boolean }', 'True', []],
  ['{ type: array, items: { type: integer } }', '7', [[7n]]],
  ['{ type: [integer, "null"] }', 'null', undefined],
])('where the schema is %s, the text %s means %j', (schema, text, interpretations) => {
  const source = `{ openapi: 3.1.0, paths: { /: { get: { operationId: a, responses: {}, parameters: [
    { name: a, in: query, schema: ${schema} }] } } } }`;
  const [parameter] = readModel(source).operations[0]?.parameters ?? [];
  expect(parameter && interpretationsOf(parameter.schema, new Raw(text))).toEqual(interpretations);
});

const { cases } = createSuite(EVERYTHING, { bodyLimit: 1024, marker: 'text', level: 'strict' });
const find = (title: RegExp): string[] => cases.filter((one) => title.test(titleOf(one))).map(({ expect }) => expect);

test.each([
  [/^readWithEither auth .* security requirement \d, \w+$/, ['accepted', 'accepted', 'accepted', 'accepted']],
  [/^readWithBoth auth .* without \w+, beside \w+$/, ['refused', 'refused']],
  [/^sendMixed auth .* without \w+, beside /, ['refused', 'refused', 'refused']],
  [/^readBasic auth .* the secret with a wrong password$/, ['wrong credentials']],
  [/^readWithQueryKey auth .* the secret in a cookie$/, ['refused']],
  [/^readWithEither auth .* security requirement 0, beside a wrong secret of headerKey$/, ['accepted']],
  [/^sendBody media .* the type (?:application|text)\/[\w.-]+(?:\+json)?; x="a;b"$/, Array(5).fill('accepted')],
  [/^sendForm malformed .* an invalid percent-encoding$/, ['refused']],
  [/^sendBody negative .* text\/plain, maxLength\+1 of ASCII$/, ['refused']],
  [/^readForm parameter .* query order, a space as a plus$/, []],
  [/^readText parameter .* query order, a space as a plus$/, ['accepted']],
  [/^readJson parameter .* cookie box, int64 maximum\+1$/, ['refused']],
])('the cases %s are there', (title, expected) => {
  expect(find(title)).toEqual(expected);
});
