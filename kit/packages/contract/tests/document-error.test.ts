import type { Document } from '../src/2-resolve/document';
import { createFindUsers } from '../src/2-resolve/scope';
import { contractWith } from '@contract-kit/test-support/serve-operation';
import { loadText } from '@contract-kit/test-support/load-text';
import { createToPointer, describeErrors, DocumentError, DocumentErrors } from '../src/text/document-error';
import { describeForeignSyntax } from '../src/2-resolve/foreign-pattern';

const shared = {};
const document = { 'a/b~c': [{ d: shared }], e: shared, f: 1 } as unknown as Document;

test('the place of an error is a JSON pointer', () => {
  const toPointer = createToPointer([document]);
  expect(toPointer(new DocumentError(document, ''))).toBe('#');
  expect(toPointer(new DocumentError(shared, '', 'x/y'))).toBe('#/e/x~1y');
  const [first] = (document as unknown as { 'a/b~c': object[] })['a/b~c'];
  expect(first && toPointer(new DocumentError(first, '', 0))).toBe('#/a~1b~0c/0/0');
  expect(toPointer(new DocumentError({}, ''))).toBe('#');
});

test('what is no error of the contract is not kept for one', () => {
  const errors = new DocumentErrors();
  const broken = new TypeError('a bug');
  const attempt = (): void => {
    errors.attempt(() => {
      throw broken;
    });
  };
  expect(attempt).toThrow(broken);
  expect(errors.all).toEqual([]);
  expect(errors.attempt(() => 1)).toBe(1);
});

test('an error is kept once for each node, key and message', () => {
  const errors = new DocumentErrors();
  const list = (): DocumentError[] => [
    new DocumentError(document, 'a', 'f'),
    new DocumentError(document, 'b', 'f'),
    new DocumentError(document, 'a', 'g'),
    new DocumentError(shared, 'a', 'f'),
  ];
  for (const error of [...list(), ...list()]) errors.add(error);
  expect(errors.all).toEqual(list());
});

test('an error that is there often is one line', () => {
  const [first] = (document as unknown as { 'a/b~c': object[] })['a/b~c'];
  const errors = [
    new DocumentError(document, 'a', 'f'),
    new DocumentError(shared, 'b'),
    new DocumentError(first ?? {}, 'a'),
  ];
  expect(describeErrors('x.yaml', [document], errors)).toBe('x.yaml#/f a (2 times)\nx.yaml#/e b');
});

test('a part of a contract is needed by the operations that are in it, have it, or refer to it', () => {
  const contract = {
    openapi: '3.1.0',
    info: {},
    paths: {
      '/a': { $ref: '#/components/pathItems/A' },
      '/b': {
        post: { requestBody: { content: { 'application/json': { schema: { $ref: '#/components/schemas/Pet' } } } } },
      },
      '/c': { get: { responses: { 200: { $ref: '#/x-tagged' } } } },
    },
    components: {
      pathItems: { A: { get: { responses: {} } } },
      schemas: {
        Pet: { discriminator: { mapping: { cat: 'Cat', dog: '#/components/schemas/Dog' }, defaultMapping: 'Fish' } },
        Cat: {},
        Dog: {},
        Fish: {},
        Kitten: { allOf: [{ $ref: '#/components/schemas/Pet' }] },
        Lone: {},
      },
    },
    'x-tagged': { discriminator: {} },
  } as unknown as Document;
  const find = createFindUsers(contract);
  const usersOf = (...names: string[]) => names.map((name) => find(`#/components/schemas/${name}`));
  expect(usersOf('Pet', 'Cat', 'Dog', 'Fish', 'Kitten')).toEqual(Array(5).fill(['POST /b']));
  expect(usersOf('Lone')).toEqual([[]]);
  expect([find('#/components/pathItems/A/get/responses'), find('#/paths/~1b')]).toEqual([['GET /a'], ['POST /b']]);
  const without = createFindUsers({ ...contract, components: {} });
  expect([without('#/x-tagged'), without('#/servers/0')]).toEqual([['GET /c'], undefined]);
});

test.each(['3.1.0', '3.2.0'])(
  'in OpenAPI %s, a schema that refers to itself through allOf, anyOf or oneOf beside a discriminator is an error, and no other is hidden by it',
  (version) => {
    const text = contractWith({
      version,
      body: "{ $ref: '#/components/schemas/A' }",
      schemas: { A: "{ discriminator: { propertyName: k }, allOf: [{ $ref: '#/components/schemas/A' }] }" },
    });
    expect(() => loadText(text)).toThrow('refers to itself for the same value');
  },
);

test.each([
  ['\\A[a-z]+\\z', '\\A'],
  ['^[a-z]+\\Z', '\\Z'],
  ['^a\\h', '\\h'],
  ['^[\\H]', '\\H'],
  ['\\Qa.b\\E', '\\Q'],
  ['\\x{1F600}', '\\x{1F600}'],
  ['^[[:alpha:]_]+$', '[:alpha:]'],
  ['^[a[:^digit:]]+$', '[:^digit:]'],
  ['[a-z&&[^b]]', '&&['],
  ['a{,3}', '{,3}'],
  ['(?i)abc', '(?i)'],
  ['(?s).*', '(?s)'],
  ['(?P<year>a)', '(?P<'],
  ['(?>a)', '(?>'],
  ['(?#a)', '(?#'],
  ['[a-z]++', '++'],
  ['a{2}+', '{2}+'],
])('the pattern %s has %s of another language', (pattern, syntax) => {
  expect(describeForeignSyntax(pattern)).toBe(`${syntax} is not syntax of JavaScript`);
});

test.each([
  ['^[\\p{L}\\_]+$', '\\p{L}', 'Invalid escape'],
  ['\\pL', '\\p', 'Invalid property name'],
  ['\\u{1F600}\\_', '\\u{1F600}', 'Invalid escape'],
])('the pattern %s has %s, which needs the flag u', (pattern, syntax, error) => {
  const message = `${syntax} needs the flag u, which does not allow this pattern (${error})`;
  expect(describeForeignSyntax(pattern)).toMatch(message);
});

test.each([
  ...['^[a-z]+$', '\\p{L}', '\\u{1F600}', '(?i:a)', '(?<a>x)\\k<a>', 'a\\-b\\_', '[[:foo:]]\\_', '[++]\\_'],
  ...['(?i:a)\\_', '(?=a)(?!b)(?<=c)(?<!d)(?:e)(?<f>g)\\_', '\\d\\x41\\u0041\\cA\\_', '(', '(?:'],
])('the pattern %s has no syntax of another language', (pattern) => {
  expect(describeForeignSyntax(pattern)).toBeUndefined();
});

test.each([
  ['{ pattern: "\\\\A[a-z]+" }', 'schema/pattern in "\\\\A[a-z]+", \\A is not syntax of JavaScript'],
  ['{ patternProperties: { "\\\\Z": {} } }', 'patternProperties in "\\\\Z", \\Z is not syntax of JavaScript'],
  ['{ pattern: "(" }', 'schema/pattern Invalid regular expression: /(/: Unterminated group'],
])('a contract with the schema %s is refused, with the place of the pattern', (body, message) => {
  expect(() => loadText(contractWith({ body }))).toThrow(message);
});
