import { readContract } from '../src/contract/read-contract';
import { SkippedError } from '../src/contract/skipped';
import { createValidator } from '../src/validation/validator';
import { readJson, writeJson, type Json } from '../src/wire/json';
import { measureCpu } from './measure-cpu';

const DRAFT = '"jsonSchemaDialect":"http://json-schema.org/draft-04/schema#"';

/** What is wrong with a value, as `/pointer keyword`; the schema is JSON, and its references begin at `#/s`. */
function problems(schema: string, value: string, head = '"openapi":"3.1.0"'): string[] {
  const contract = readContract(`{${head},"s":${schema}}`);
  return createValidator(contract)('#/s', readJson(value)).map(({ valuePointer: instancePath, keyword }) =>
    `${instancePath} ${keyword}`.trim(),
  );
}

// By schema: values that are right, and wrong ones with what is said of them. `npm run check -- judges` has what
// JSON Schema says, in each dialect; these are exact numbers, and places.
const CASES: readonly (readonly [schema: string, right: readonly string[], wrong: Readonly<Record<string, string>>])[] =
  [
    ['{"enum":[9007199254740993,"a"]}', ['9007199254740993'], { '9007199254740992': 'enum' }],
    [
      '{"type":["integer","null"],"format":"int64"}',
      ['9223372036854775807', 'null', '1.0'],
      { '9223372036854775808': 'format', '1.5': 'type', '{}': 'type' },
    ],
    [
      '{"minimum":9223372036854775806,"exclusiveMaximum":9223372036854775808}',
      ['9223372036854775807', '"a"'],
      { '9223372036854775805': 'minimum', '9223372036854775808': 'exclusiveMaximum' },
    ],
    [
      '{"maximum":9007199254740993,"exclusiveMinimum":1.5}',
      ['9007199254740993', '2'],
      { '9007199254740994': 'maximum', '1.5': 'exclusiveMinimum' },
    ],
    ['{"multipleOf":5}', ['9007199254740995', '"a"'], { '9007199254740996': 'multipleOf', '2.5': 'multipleOf' }],
    ['{"multipleOf":0.01}', ['4.35', '19.99', '3', '1e30'], { '4.351': 'multipleOf', '1e-7': 'multipleOf' }],
    // The examples of RFC 6570 have an apostrophe, which its grammar leaves out.
    ['{"format":"uri-template"}', ['"\'{a}\'"'], { '"\\"{a}"': 'format' }],
    [
      '{"uniqueItems":true}',
      ['[1,"1",true,{"a":1},{"a":2}]', '[9007199254740992,9007199254740993]'],
      { '[{"a":1,"b":2},{"b":2.0,"a":1}]': 'uniqueItems', '[[1],[1]]': 'uniqueItems' },
    ],
    ['{"properties":{"a/b":{"properties":{"~":{"type":"string"}}}}}', ['{}'], { '{"a/b":{"~":1}}': '/a~1b/~0 type' }],
    [
      '{"properties":{"a":{"$ref":"#/s"},"b":false}}',
      ['{"a":{"a":{}}}'],
      { '{"a":{"a":{"b":1}}}': '/a/a/b properties' },
    ],
  ];

test.each(CASES)('values are judged by %s, by place and keyword', (schema, right, wrong) => {
  const judged = [...right, ...Object.keys(wrong)].map((value) => [value, problems(schema, value)]);
  const expected = [
    ...right.map((value) => [value, []]),
    ...Object.entries(wrong).map(([value, said]) => [value, [said]]),
  ];
  expect(judged).toEqual(expected);
});

test('a problem says where it is, what is wrong, and by which keyword', () => {
  const contract = readContract('{"openapi":"3.1.0","s":{"items":{"maximum":9},"maxItems":2}}');
  const found = createValidator(contract)('#/s', [1n, 10n, 2n]);
  expect(found.map(({ text }) => text)).toEqual([
    '/1 is more than 9 (maximum)',
    'the value has more items than 2 (maxItems)',
  ]);
});

const TUPLE = '{"type":"array","prefixItems":[{"type":"string"}],"const":[1]}';

test.each([
  ['3.0 has no prefixItems and no const', TUPLE, '[2]', '"openapi":"3.0.3"', []],
  ['in 3.0, null is allowed by nullable', '{"type":"string","nullable":true}', 'null', '"openapi":"3.0.3"', []],
  ['draft-04 has no const', '{"const":1}', '2', `"openapi":"3.1.0",${DRAFT}`, []],
  [
    'a schema may name the dialect of the contract',
    '{"$schema":"https://json-schema.org/draft/2020-12/schema","const":1}',
    '2',
    '"openapi":"3.1.0"',
    ['const'],
  ],
] as const)('%s', (...[, schema, value, head, expected]) => {
  expect(problems(schema, value, head)).toEqual(expected);
});

test.each([
  ['the keyword $dynamicRef', '{"$dynamicRef":"#a"}'],
  ['the keyword $recursiveRef', '{"$recursiveRef":"#"}'],
  ['an items keyword that is a list', '{"items":[{"type":"string"}]}'],
  ['references below an $id', '{"$id":"https://example.org/a","properties":{"a":{"$ref":"#/b"}}}'],
  ['the dialect https://example.org/mine', '{"$schema":"https://example.org/mine"}'],
  ['references to other files or anchors', '{"$ref":"#anchor"}'],
  ['references to other files or anchors', '{"$ref":"other.yaml#/a"}'],
  ['references to values that do not exist', '{"$ref":"#/nowhere"}'],
  ['circular references', '{"$ref":"#/s"}'],
  ['a value that is not an object', '{"allOf":[1]}'],
])('what is refused for %s is not judged', (reason, schema) => {
  expect(() => problems(schema, '[1]')).toThrow(reason);
});

test('a contract in a dialect that nobody here knows is not judged', () => {
  const head = '"openapi":"3.1.0","jsonSchemaDialect":"https://example.org/mine"';
  expect(() => problems('{}', '1', head)).toThrow('the dialect https://example.org/mine');
});

test('a value that is too deep is not judged, and nothing else is lost', () => {
  const contract = readContract('{"openapi":"3.1.0","s":{"items":{"$ref":"#/s"}}}');
  let deep: Json = [];
  for (let depth = 0; depth < 100_000; depth++) deep = [deep];
  const validate = createValidator(contract);
  expect(() => validate('#/s', deep)).toThrow(SkippedError);
  expect(validate('#/s', [[]])).toEqual([]);
});

// Each object is of a schema of its own.
const MARKED = `{"openapi":"3.1.0","s":{"required":["a","b"],"properties":{"a":{"readOnly":true},"b":{"writeOnly":true}}},
  "part":{"allOf":[{"$ref":"#/s"},{"required":["a","c"]}]},"other":{"required":["a","b"]}}`;

test.each<[string, Json, 'request' | 'reply', number]>([
  ['#/s', { b: 1n }, 'request', 0],
  ['#/s', { a: 1n }, 'reply', 0],
  ['#/s', { a: 1n }, 'request', 1],
  ['#/part/allOf/1', { c: 1n }, 'request', 0],
  ['#/part', { b: 1n }, 'request', 1],
  ['#/other', { b: 1n }, 'request', 1],
  ['#/other', { a: 1n }, 'reply', 1],
])(
  'of %s, what %j lacks in a %s is wrong %i times: not what is marked for the other side',
  (...[pointer, value, side, count]) => {
    expect(createValidator(readContract(MARKED))(pointer, value, side)).toHaveLength(count);
  },
);

test('a list with more problems than a call can have arguments is judged, and the first 100 are reported', () => {
  const contract = readContract('{"openapi":"3.1.0","s":{"items":{"type":"string"}}}');
  const items = Array.from({ length: 300_000 }, () => 1n);
  expect(createValidator(contract)('#/s', items)).toHaveLength(100);
});

test.each(['1', '[]'])('a list of %s takes about the same time at any depth', (item) => {
  const schema = {
    properties: {
      a: { anyOf: [{ $ref: '#/s' }, { type: 'null' }] },
      l: { items: { anyOf: [{ type: 'integer' }, { type: 'string' }] } },
    },
  };
  const validate = createValidator(readContract(JSON.stringify({ openapi: '3.1.0', s: schema })));
  const [flat = 0, deep = 0] = [1, 200].map((depth) => {
    const value = readJson(`${'{"a":'.repeat(depth)}{"l":[${`${item},`.repeat(5_000)}1]}${'}'.repeat(depth)}`);
    return measureCpu(() => validate('#/s', value));
  });
  expect(deep).toBeLessThan(3 * flat);
});

test('each part of a value is judged once, however many alternatives of a recursive schema look at it', () => {
  const either = ['a', 'b'].map((name) => ({ properties: { a: { $ref: '#/s' } }, required: [name] }));
  const contract = readContract(writeJson({ openapi: '3.1.0', s: { anyOf: either } }));
  let deep: Json = {};
  for (let depth = 0; depth < 100; depth++) deep = { a: deep };
  // 2^100 steps would never end.
  const places = createValidator(contract)('#/s', deep).map(({ valuePointer: at }) => at);
  expect(places).toEqual(['', '/a'.repeat(100)]);
});

test('a list of many objects is searched for equal ones in one pass', () => {
  const contract = readContract('{"openapi":"3.1.0","s":{"uniqueItems":true}}');
  const items = Array.from({ length: 200_000 }, (_unused, index) => ({ id: BigInt(index) }));
  // All pairs would take hours.
  expect(createValidator(contract)('#/s', items)).toEqual([]);
});

// The official suite has no such format.
test.each([
  ['"cGxhbnQ="', []],
  ['"cGxhbnQ"', ['format']],
])('whether %s is Base64: %j', (text, expected) => {
  expect(problems('{"format":"byte"}', text)).toEqual(expected);
});

test.each(['allOf', 'anyOf'])('a schema that two ways of %s lead to at each level judges a value once', (keyword) => {
  const levels = Array.from({ length: 40 }, (_unused, index) => {
    const next = { $ref: `#/s/$defs/L${String(index + 1)}` };
    return [`L${String(index)}`, { [keyword]: [next, { allOf: [next] }] }];
  });
  const schema = JSON.stringify({
    $defs: { ...(Object.fromEntries(levels) as object), L40: { type: 'object' } },
    $ref: '#/s/$defs/L0',
  });
  expect(problems(schema, '{}')).toEqual([]);
  expect(problems(schema, '1')).toEqual([keyword === 'allOf' ? 'type' : 'anyOf']);
});

test('merge keys of a contract in YAML are expanded, and explicit keys win', () => {
  const contract = readContract('openapi: 3.1.0\ns: &s { type: integer, maximum: 9 }\nt: { maximum: 5, <<: *s }\n');
  expect(contract.root['t']).toEqual({ maximum: 5n, type: 'integer' });
});
