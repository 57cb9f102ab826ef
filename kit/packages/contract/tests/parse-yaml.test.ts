import {
  exactValueOf,
  findReferences,
  indentBrackets,
  parsePart,
  parseYaml,
  whyUnfollowed,
} from '../src/1-parse/parse-yaml';

const REPEATED = 'the aliases repeat more than 500,000 characters';
const AROUND = 'an alias refers to a collection that contains it';
const OUTSIDE = 'refers to another file: run contract-kit bundle, which makes one document from several files';

/** Nine levels, each of ten aliases of the one before: 10^10 values in 500 characters. */
const NESTED = Array.from({ length: 9 }, (_unused, level) => {
  const aliases = `*a${String(level)},`.repeat(10);
  return `a${String(level + 1)}: &a${String(level + 1)} [${aliases}]\n`;
}).join('');

function parse(source: string): unknown {
  return parseYaml(source, 'a.yaml');
}

/** A list of `length` characters, each of them counted as two, and then aliases of it. */
function repeat(length: number, times: number): string {
  return `a: &a [${Array(length).fill('b').join(',')}]\nc: [${Array(times).fill('*a').join(',')}]`;
}

test.each([
  ['nested', `a0: &a0 [x,x,x,x,x,x,x,x,x,x]\n${NESTED}`, `a.yaml:1:1 ${REPEATED}`],
  ['of a long text', `a: &a ${'b'.repeat(1000)}\nc: [${Array(510).fill('*a').join(',')}]`, `a.yaml:1:1 ${REPEATED}`],
  ['of a long list', repeat(502, 500), `a.yaml:1:1 ${REPEATED}`],
  ['of a list that it is in', 'a: &a [[*a]]', `a.yaml:1:1 ${AROUND}`],
  ['of a map that it is in', 'a: &a\n  b: { c: *a }', `a.yaml:1:1 ${AROUND}`],
  ['of nothing', 'a: *a', 'a.yaml:1:5 unidentified alias "a"'],
])('aliases that cannot be written out are refused: %s', (_, source, message) => {
  expect(() => parse(source)).toThrow(message);
});

test('closing brackets at the column of their key, or before it, are read', () => {
  const source = 'a:\n  b: {\n    c: [1,\n{ d: 2 }\n],\n  }\n';
  expect(() => parseYaml(source, 'a.yaml')).toThrow('a.yaml:4:1 deficient indentation');
  const { document, text } = indentBrackets('a:\n  b: {\n    c: [1\n]}\n  d: [\n  ]\n');
  expect(document).toEqual({ a: { b: { c: [1] }, d: [] } });
  expect(indentBrackets(text)).toEqual({ document, text });
  expect(() => parseYaml('a: [1,\n}', 'a.yaml')).toThrow('a.yaml:2:1 ');
});

test('ten thousand closing brackets at the column of their key are read at once, and a text keeps its own', () => {
  const keys = Array.from({ length: 10_000 }, (_, index) => `  k${String(index)}: {\n    a: [\n    ]\n  }\n`);
  const text = 'a: |\n  {\n   \n  }\nb: # |\n  - >-\n    [\n\n    ]\n';
  const { document } = indentBrackets(`${text}c:\n${keys.join('')}${' '.repeat(200_000)}\nd: |-\n  }\n`);
  expect(document).toMatchObject({ a: '{\n \n}\n', b: ['[\n]'], c: { k0: { a: [] }, k9999: { a: [] } }, d: '}' });
});

test('other aliases are what they stand for', () => {
  expect(parse('a: &a [&b 1, { c: *b }]\nd: *a\ne: [*a, *b]')).toEqual({
    a: [1, { c: 1 }],
    d: [1, { c: 1 }],
    e: [[1, { c: 1 }], 1],
  });
  expect(parse(repeat(499, 500))).toMatchObject({ a: expect.any(Array) as unknown });
  expect(parse(repeat(150_000, 0))).toMatchObject({ a: expect.any(Array) as unknown });
});

test.each([
  ['https://a.example/v1/b', 'https://a.example/v1/b#/x', '#/x'],
  ['https://a.example/v1/b', 'b#/x', '#/x'],
  ['https://a.example/v1/b', 'b', '#'],
  ['/v1/b.yaml', 'b.yaml#/x', '#/x'],
  ['https://a.example/v1/b', 'https://a.example/b#/x', 'https://a.example/b#/x'],
  ['https://a.example/v1/b', 'https://[#/x', 'https://[#/x'],
])('with the $self %s, the reference %s is %s', (self, reference, expected) => {
  const source = (version: string) => `openapi: ${version}\n$self: '${self}'\na: [{ $ref: '${reference}' }]`;
  expect(parse(source('3.2.0'))).toMatchObject({ a: [{ $ref: expected }] });
  const mapping = `{ openapi: 3.2.0, $self: b, discriminator: { mapping: { c: b }, defaultMapping: './b#/d' } }`;
  expect(parse(mapping)).toMatchObject({ discriminator: { mapping: { c: 'b' }, defaultMapping: '#/d' } });
  expect(parse(mapping.replaceAll('b', 'b.yaml'))).toMatchObject({ discriminator: { mapping: { c: '#' } } });
  const older = mapping.replace('3.2.0', '3.1.0');
  expect(() => parse(older)).toThrow(`"./b#/d" ${OUTSIDE}`);
});

test.each([
  ...['http://a.example/b.yaml', 'https://a.example/b.yaml#/c', '//a.example/b.yaml', 'file:///etc/passwd', 'data:,a'],
  ...['#a', '#a/../../b.yaml#/c', '#http://a.example#/b', '#/a#/b', 'b.yaml#a', '##'],
])('a reference that is never followed is left to the operations that need it: %j', (reference) => {
  expect(whyUnfollowed(reference)).toMatch(/^#|#a$/.test(reference) ? /is not a JSON pointer/ : /is remote/);
  const text = JSON.stringify(reference);
  const source = `a: { $ref: ${text}, discriminator: { mapping: { a: ${text} } } }`;
  expect(parse(source)).toMatchObject({ a: { $ref: reference } });
  const keys = [...findReferences(parse(source))].map((found) => found.keys.join('/'));
  expect(keys).toEqual(['a/$ref', 'a/discriminator/mapping/a']);
});

test('a remote example is not a reference', () => {
  expect([...findReferences(parse('a: { externalValue: "https://a.example/b" }'))]).toEqual([]);
});

test.each(['/etc/passwd', '../../etc/passwd#/a', 'b.yaml', ''])(
  'a reference to another file is refused: %j',
  (reference) => {
    const text = JSON.stringify(reference);
    expect(() => parse(`a:\n  - $ref: ${text}`)).toThrow(`a.yaml:2:5 ${text} ${OUTSIDE}`);
    expect(() => parse(`a: { externalValue: ${text} }`)).toThrow(`a.yaml:1:6 ${text} ${OUTSIDE}`);
  },
);

test.each([
  'example: { $ref: b.yaml }',
  'schema: { default: [{ $ref: b.yaml }], const: { externalValue: b.yaml }, enum: [{ $ref: "#a" }] }',
  'schema: { examples: [{ $ref: b.yaml }] }',
  'examples: { a: { value: { discriminator: { mapping: { a: b.yaml } } } } }',
])('data has no references: %s', (source) => {
  expect(parse(source)).toEqual(expect.any(Object));
});

const NAMED_AS_DATA = ['responses: { default: { $ref: b.yaml } }', 'properties: { example: { $ref: b.yaml } }'];

test.each(NAMED_AS_DATA)('a name is not a keyword of data: %s', (source) => {
  expect(() => parse(source)).toThrow(`"b.yaml" ${OUTSIDE}`);
});

test.each([
  ['<<: { $ref: ./a.example }', '1:7'],
  ['a: &a ./a.example\nb: { $ref: *a }', '2:6'],
  ['a: &a $ref\nb: { *a : ./a.example }', '2:7'],
  ['"\\u0024ref": "\\u002e/a.example"', '1:2'],
  ['!!map { $ref: ./a.example }', '1:9'],
  ['discriminator: { mapping: { a: ./a.example }, defaultMapping: b }', '1:1'],
  ['discriminator: { defaultMapping: "./a.example" }', '1:1'],
])('however it is written: %s', (source, place) => {
  expect(() => parse(source)).toThrow(`a.yaml:${place} "./a.example" ${OUTSIDE}`);
});

test.each([
  '$ref: "#/components/schemas/A~1%20b"',
  'properties: { $ref: { type: string }, externalValue: { type: string }, discriminator: { type: string } }',
  'discriminator: { propertyName: a, mapping: { a: A, b: "#/components/schemas/B" }, defaultMapping: A }',
  'discriminator: { mapping: }',
  'discriminator:',
])('what stays in the document is not: %s', (source) => {
  expect(parse(source)).toEqual(expect.any(Object));
});

test('merge keys are expanded, with all digits, and explicit keys win before and after them', () => {
  const base = 'a: &a { maximum: 9223372036854775807, minimum: 9223372036854775807, type: integer }\n';
  const source = `${base}b: { minimum: 1, <<: *a, type: string }\nc: { <<: [{ type: number }, *a], "<<": d }\n`;
  const { b, c } = parse(source) as Record<'b' | 'c', object>;
  expect(Object.entries(b)).toEqual(Object.entries({ minimum: 1, maximum: 2 ** 63, type: 'string' }));
  expect(['minimum', 'maximum'].map((key) => exactValueOf(b, key))).toEqual([1, 2n ** 63n - 1n]);
  expect(c).toMatchObject({ type: 'number', minimum: 2 ** 63, maximum: 2 ** 63, '<<': 'd' });
  expect(parsePart(source, 'a.yaml')).toMatchObject({ b: { maximum: 2n ** 63n - 1n } });
  const { e } = parse(`${base}e: { <<: *a, maximum: 5 }`) as { e: object };
  expect(exactValueOf(e, 'maximum')).toBe(5);
});
