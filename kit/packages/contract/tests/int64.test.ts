import { areUnique, createValueKeys, readInteger } from '../src/json/int64';
import request from 'supertest';
import { postJson, serveOperation } from '@contract-kit/test-support/serve-operation';

const MAX = 9223372036854775807n;

test.each<[token: string, value: bigint | number]>([
  ['0', 0],
  ['-0', 0],
  ['0e9999999999', 0],
  ['0.000', 0],
  ['1.0', 1],
  ['1e3', 1000],
  ['1E+3', 1000],
  ['1.5e1', 15],
  ['1000e-3', 1],
  ['0.001e3', 1],
  ['-12', -12],
  ['9007199254740991', 2 ** 53 - 1],
  ['9007199254740992', 2n ** 53n],
  ['9007199254740993', 2n ** 53n + 1n],
  ['9223372036854775807', MAX],
  ['9223372036854775807.0', MAX],
  ['9.223372036854775807e18', MAX],
  ['-9223372036854775808', -MAX - 1n],
  ['9223372036854775808', MAX + 1n],
  ['-9223372036854775809', -MAX - 2n],
  ['1e19', 10n ** 19n],
  ['1e39', 10n ** 39n],
  ['1e40', 1e40],
  ['1e400', Infinity],
  ['1e99999999999999999999', Infinity],
  ['1.5', 1.5],
  ['1e-1', 0.1],
  ['1e-400', NaN],
  ['1.0000000000000000000001', NaN],
  ['9007199254740992.5', NaN],
])('%s is read by all of its digits', (token, value) => {
  expect(readInteger(token)).toBe(value);
});

test('a number of a megabyte is told in linear time', () => {
  const zeros = '0'.repeat(2 ** 20);
  expect(readInteger(`1${zeros}1`)).toBe(Infinity);
  expect(readInteger(`0.${zeros}1e${String(zeros.length + 1)}`)).toBe(1);
});

test.each<[string, string, boolean]>([
  ['numbers', '[1,2]', true],
  ['a number twice', '[1,1.0]', false],
  ['0 and -0', '[0,-0]', false],
  ['1 and true', '[1,true]', true],
  ['0, false, null and empty text', '[0,false,null,""]', true],
  ['a number and its text', '[1,"1"]', true],
  ['objects whose members stand in another order', '[{"a":1,"b":2},{"b":2,"a":1}]', false],
  ['objects with other members', '[{"a":1},{"a":1,"b":2}]', true],
  ['objects whose names and values run together', '[{"a":"b,c"},{"a":"b","c":""}]', true],
  ['lists in another order', '[[1,2],[2,1]]', true],
  ['a list twice', '[[1,[2]],[1,[2]]]', false],
  ['lists whose items run together', '[[1,2],["1,2"]]', true],
  ['an empty list and an empty object', '[[],{}]', true],
  ['a member named __proto__', '[{"__proto__":1},{"__proto__":2}]', true],
])('%s are told from each other as JSON Schema says', (_what, items, expected) => {
  expect(areUnique(JSON.parse(items) as unknown[], createValueKeys())).toBe(expected);
});

test('int64s that have one double are told from each other', () => {
  expect(areUnique([2n ** 53n, 2n ** 53n + 1n], createValueKeys())).toBe(true);
});

test('a list in a list in a list is looked at for itself and for the one around it, though each of them has to be unique', () => {
  let looks = 0;
  const leaf = new Proxy({}, { ownKeys: () => ((looks += 1), []) });
  const lists: unknown[][] = [[leaf, 'long enough to be kept, and not made again']];
  for (let depth = 0; depth < 9; depth++) lists.push([lists[depth], depth]);
  const identify = createValueKeys();
  expect(lists.toReversed().map((list) => areUnique(list, identify))).toEqual(Array(10).fill(true));
  expect(looks).toBe(2);
});

const INT64 = 'type: integer, format: int64';
const BEYOND = '9007199254740993';

async function send(schema: string, body: string): Promise<{ status: number; text: string; seen: unknown }> {
  await using served = await serveOperation({ body: schema });
  const { status, text } = await postJson(served, body);
  return { status, text, seen: served.seen[0] };
}

/** The status of a reply with a value of a schema. */
async function reply(schema: string, value: unknown, version = '3.1.0'): Promise<number> {
  await using served = await serveOperation({ version, method: 'get', reply: schema }, (_, answer) =>
    answer(200, value),
  );
  return (await request(served.server).get('/a')).status;
}

describe('rules beyond 2^53 are decided by all digits', () => {
  test.each([
    [`maximum: ${BEYOND}`, '9007199254740993', '9007199254740994', `<= ${BEYOND}`],
    [`minimum: ${BEYOND}`, '9007199254740993', '9007199254740992', `>= ${BEYOND}`],
    [`exclusiveMaximum: ${BEYOND}`, '9007199254740992', '9007199254740993', `< ${BEYOND}`],
    [`exclusiveMinimum: -${BEYOND}`, '-9007199254740992', '-9007199254740993', `> -${BEYOND}`],
    ['maximum: 1000000000000000000', '1000000000000000000', '1000000000000000001', '<= 1000000000000000000'],
    [`enum: [1, ${BEYOND}]`, BEYOND, '9007199254740992', 'equal to one of the allowed values'],
    [`const: ${BEYOND}`, BEYOND, '9007199254740992', 'equal to constant'],
    ['multipleOf: 3', '9007199254740993', '9007199254740994', 'multiple of 3'],
    [`multipleOf: ${BEYOND}`, BEYOND, '9007199254740992', `multiple of ${BEYOND}`],
  ])('%s', async (rule, right, wrong, message) => {
    const schema = `{ ${INT64}, ${rule} }`;
    await expect(send(schema, right)).resolves.toMatchObject({ status: 204, seen: BigInt(right) });
    const refused = await send(schema, wrong);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`request/body must be ${message}`)]);
    expect([await reply(schema, BigInt(right)), await reply(schema, BigInt(wrong))]).toEqual([200, 500]);
  });

  test.each([
    ['uint64', '18446744073709551615', '18446744073709551616'],
    ['uint64', '0', '-1'],
    ['uint64', '9007199254740993', '9007199254740993.5'],
    ['int64', '9223372036854775807', '9223372036854775808'],
  ])('the range of the format %s: %s is in it, and %s is not', async (format, right, wrong) => {
    const schema = `{ type: integer, format: ${format} }`;
    await expect(send(schema, right)).resolves.toMatchObject({ status: 204, seen: BigInt(right) });
    const refused = await send(schema, wrong);
    const told = expect.stringMatching(/must be (an integer from -?\d+ to \d+|integer)/) as string;
    expect([refused.status, refused.text]).toEqual([400, told]);
    const beyond = right === '0' ? -1n : 2n ** 64n;
    expect([await reply(schema, BigInt(right)), await reply(schema, beyond)]).toEqual([200, 500]);
    await expect(send(`{ type: array, uniqueItems: true, items: ${schema} }`, `[${right},1]`)).resolves.toMatchObject({
      status: 204,
    });
  });

  test('uint64s that have one double are told from each other', async () => {
    const schema = '{ type: array, uniqueItems: true, items: { type: integer, format: uint64 } }';
    const [one, next] = ['18446744073709551614', '18446744073709551615'];
    await expect(send(schema, `[${one},${next}]`)).resolves.toMatchObject({ seen: [BigInt(one), BigInt(next)] });
    await expect(send(schema, `[${one},${one}]`)).resolves.toMatchObject({ status: 400 });
  });

  test('rules of a uint64 beyond the range of int64', async () => {
    const schema = '{ type: integer, format: uint64, minimum: 9223372036854775809 }';
    await expect(send(schema, '9223372036854775809')).resolves.toMatchObject({ seen: 9223372036854775809n });
    await expect(send(schema, '9223372036854775808')).resolves.toMatchObject({ status: 400 });
  });

  test.each([
    ...['minimum: 9007199254740993, exclusiveMinimum: true', 'maximum: 9007199254740995, exclusiveMaximum: true'],
  ])('as OpenAPI 3.0 writes them: %s', async (rule) => {
    const schema = `{ ${INT64}, ${rule} }`;
    const values = [9007199254740993n, 9007199254740994n, 9007199254740995n];
    const statuses = await Promise.all(values.map((value) => reply(schema, value, '3.0.3')));
    expect(statuses[1]).toBe(200);
    expect(statuses[rule.startsWith('min') ? 0 : 2]).toBe(500);
  });

  test('null where OpenAPI 3.0 calls a number or a text nullable', async () => {
    for (const type of [INT64, 'type: number', 'type: string']) {
      expect(await reply(`{ ${type}, nullable: true }`, null, '3.0.3')).toBe(200);
      expect(await reply(`{ ${type}, nullable: false }`, null, '3.0.3')).toBe(500);
    }
  });

  test.each([
    'minimum: -9223372036854775808, maximum: 9223372036854775807',
    'exclusiveMinimum: -9223372036854775809, exclusiveMaximum: 9223372036854775808',
  ])('limits of the range of int64, inside an alternative too: %s', async (rules) => {
    const schema = `{ oneOf: [{ ${INT64}, ${rules} }, { type: string }] }`;
    for (const value of ['-9223372036854775808', '9223372036854775807']) {
      await expect(send(schema, value)).resolves.toMatchObject({ status: 204, seen: BigInt(value) });
    }
  });

  test('other numbers are doubles, and their rules', async () => {
    const schema = `{ type: number, maximum: ${BEYOND}, exclusiveMinimum: -1e300 }`;
    await expect(send(schema, '9007199254740992')).resolves.toMatchObject({ status: 204, seen: 2 ** 53 });
    await expect(send(schema, '9007199254740994')).resolves.toMatchObject({ status: 400 });
  });

  test('a default that a double cannot hold', async () => {
    const schema = `{ type: object, properties: { id: { ${INT64}, default: ${BEYOND} }, other: { ${INT64} } } }`;
    await expect(send(schema, '{}')).resolves.toMatchObject({ seen: { id: BigInt(BEYOND) } });
    const both = { id: BigInt(BEYOND), other: 9007199254740995n };
    await expect(send(schema, '{"other":9007199254740995}')).resolves.toMatchObject({ seen: both });
    await expect(send(schema, '{"id":9007199254740992}')).resolves.toMatchObject({ seen: { id: 9007199254740992n } });
    const double = `{ type: object, properties: { id: { ${INT64}, default: 1e18 } } }`;
    await expect(send(double, '{}')).resolves.toMatchObject({ seen: { id: 1000000000000000000n } });
    const multiple = `{ type: object, properties: { id: { ${INT64}, multipleOf: 3, default: ${BEYOND} } } }`;
    await expect(send(multiple, '{}')).resolves.toMatchObject({ status: 204, seen: { id: BigInt(BEYOND) } });
    const nested = `{ properties: { a: { default: { id: ${BEYOND}, count: ${BEYOND}, counts: [${BEYOND}] }, properties:
      { id: { ${INT64} }, count: { type: integer }, counts: { type: array, items: { type: integer } } } } } }`;
    const rounded = { count: 2 ** 53, counts: [2 ** 53] };
    await expect(send(nested, '{}')).resolves.toMatchObject({ seen: { a: { id: BigInt(BEYOND), ...rounded } } });
    const inAlternative = `{ anyOf: [{ properties: { id: { ${INT64}, default: ${BEYOND} } } }, { type: string }] }`;
    await expect(send(inAlternative, '{}')).resolves.toEqual({ status: 204, text: '', seen: {} });
    const ofNoInt64 = `{ properties: { a: { type: object, default: { count: ${BEYOND} } } } }`;
    await expect(send(ofNoInt64, '{}')).resolves.toMatchObject({ seen: { a: { count: 2 ** 53 } } });
    const inObject = `{ properties: { a: { type: object, properties: { id: { ${INT64} } }, default: { id: 9007199254740992 } } } }`;
    await expect(send(inObject, '{}')).resolves.toMatchObject({ seen: { a: { id: 2n ** 53n } } });
  });
});

const EITHER_RANGE = '[{ type: integer, format: uint64 }, { type: integer, format: int64 }]';

describe('schemas that apply to an int64 each for itself judge it by all digits', () => {
  test.each([
    [`{ anyOf: ${EITHER_RANGE} }`, '18446744073709551615', '18446744073709551616'],
    [`{ oneOf: ${EITHER_RANGE} }`, '-9223372036854775808', '-9223372036854775809'],
    [`{ oneOf: [{ ${INT64}, enum: [1, ${BEYOND}] }, { type: string }] }`, BEYOND, '9007199254740992'],
    [`{ oneOf: [{ ${INT64}, multipleOf: 3 }, { type: string }] }`, BEYOND, '9007199254740994'],
    [`{ allOf: [{ ${INT64} }, { maximum: ${BEYOND} }] }`, BEYOND, '9007199254740994'],
    [`{ allOf: [{ ${INT64} }, { type: integer, multipleOf: 3 }] }`, BEYOND, '9007199254740994'],
    [`{ allOf: [{ ${INT64} }], not: { multipleOf: 2 } }`, '9007199254740995', '9007199254740994'],
    [`{ allOf: [{ ${INT64} }], not: { minimum: ${BEYOND} } }`, '9007199254740992', BEYOND],
    [`{ allOf: [{ ${INT64} }], not: { type: integer, const: 9007199254740992 } }`, BEYOND, '9007199254740992'],
    [`{ allOf: [{ ${INT64} }], not: { enum: [9223372036854775808] } }`, '9223372036854775807', '9223372036854775808'],
    [
      `{ allOf: [{ ${INT64} }], if: { multipleOf: 7 }, then: { multipleOf: 5 } }`,
      '9007199254740995',
      '9007199254741002',
    ],
    [`{ allOf: [{ ${INT64} }, { type: [number, string], multipleOf: 0.5, exclusiveMinimum: 0.5 }] }`, BEYOND, '0'],
    [`{ type: array, items: { ${INT64} }, contains: { multipleOf: 7 } }`, '[9007199254740995]', '[9007199254740993]'],
    [
      `{ type: object, properties: { a: { ${INT64} } }, enum: [{ a: ${BEYOND} }, { a: 5 }] }`,
      `{"a":${BEYOND}}`,
      '{"a":9007199254740992}',
    ],
  ])('%s takes %s and not %s', async (schema, right, wrong) => {
    const toReply = (json: string): unknown =>
      JSON.parse(json, (_name, value: unknown, context?: { readonly source?: string }) =>
        typeof value === 'number' ? BigInt(String(context?.source)) : value,
      );
    await expect(send(schema, right)).resolves.toMatchObject({ status: 204, seen: toReply(right) });
    await expect(send(schema, wrong)).resolves.toMatchObject({ status: 400 });
    expect([await reply(schema, toReply(right)), await reply(schema, toReply(wrong))]).toEqual([200, 500]);
  });

  test('a number that is not an int64 is a double, and equal to what is rounded to it', async () => {
    const schema = `{ enum: [${BEYOND}, [{ a: ${BEYOND} }]], maximum: ${BEYOND} }`;
    await expect(send(schema, BEYOND)).resolves.toMatchObject({ status: 204, seen: 2 ** 53 });
    await expect(send(schema, `[{"a":${BEYOND}}]`)).resolves.toMatchObject({ status: 204, seen: [{ a: 2 ** 53 }] });
  });

  test('a bigint that the contract does not describe as an int64 is judged by all digits', async () => {
    const schema = `{ type: object, properties: { count: { type: integer, maximum: ${BEYOND} } } }`;
    expect([await reply(schema, { count: 2n ** 53n + 1n }), await reply(schema, { count: 2n ** 53n + 2n })]).toEqual([
      200, 500,
    ]);
  });

  test('whether a member is an int64 is up to the alternative that the discriminator names', async () => {
    const toSchema = (name: string, id: string): string =>
      `{ type: object, required: [kind, id], properties: { kind: { const: ${name} }, id: { ${id} } } }`;
    await using served = await serveOperation({
      body: `{ oneOf: [{ $ref: '#/components/schemas/Exact' }, { $ref: '#/components/schemas/Other' }], discriminator: { propertyName: kind } }`,
      schemas: { Exact: toSchema('Exact', INT64), Other: toSchema('Other', 'type: number') },
    });
    for (const kind of ['Exact', 'Other']) await postJson(served, `{"kind":"${kind}","id":${BEYOND}}`).expect(204);
    expect(served.seen).toEqual([
      { kind: 'Exact', id: BigInt(BEYOND) },
      { kind: 'Other', id: 2 ** 53 },
    ]);
  });

  test.each(['9007199254740993.5', '1.0000000000000000001', '1e400'])(
    'what is no int64 below an alternative that does not describe it is refused, not handed over rounded: %s',
    async (id) => {
      const schema = `{ anyOf: [{ type: object, properties: { a: { properties: { id: { ${INT64} } } } } }, {}] }`;
      const { status, text } = await send(schema, `{"a":{"id":${id}}}`);
      expect([status, text]).toEqual([400, expect.stringContaining('request/body/a/id must be integer')]);
    },
  );

  test('a refusal has int64s by their digits, though the service gave all bigints a toJSON', async () => {
    const { prototype } = BigInt as unknown as { prototype: { toJSON?: () => string } };
    prototype.toJSON = () => 'not digits';
    try {
      await expect(send(`{ ${INT64}, enum: [1, ${BEYOND}] }`, '2')).resolves.toMatchObject({
        text: expect.stringContaining(`allowed values: 1, ${BEYOND}`) as string,
      });
    } finally {
      delete prototype.toJSON;
    }
  });
});

describe('items that have to differ do so by all digits', () => {
  test.each([
    [`{ ${INT64} }`, '[9007199254740992,9007199254740993]', '[9007199254740993,9007199254740993]'],
    [`{ ${INT64} }`, '[1,2,3]', '[1,2,1.0]'],
    [`{ anyOf: [{ ${INT64} }, { type: number }] }`, '[1.5,1,1.25]', '[1.50,1.5]'],
    [
      `{ type: object, properties: { id: { ${INT64} } } }`,
      '[{"id":9007199254740992,"a":[1,"b",null]},{"id":9007199254740993,"a":[1,"b",null]}]',
      '[{"id":9007199254740993,"a":["b"]},{"a":["b"],"id":9007199254740993}]',
    ],
  ])('of %s', async (items, right, wrong) => {
    const schema = `{ type: array, uniqueItems: true, items: ${items} }`;
    await expect(send(schema, right)).resolves.toMatchObject({ status: 204 });
    const refused = await send(schema, wrong);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining('must NOT have duplicate items')]);
  });

  const UNIQUE = `{ type: array, uniqueItems: true, items: { ${INT64} } }`;

  test.each([UNIQUE, `{ anyOf: [{ type: array, items: { type: string } }, ${UNIQUE}] }`])(
    'of a reply: %s',
    async (schema) => {
      expect([await reply(schema, [2n ** 53n, 2n ** 53n + 1n]), await reply(schema, [5n, 5n])]).toEqual([200, 500]);
    },
  );

  test('in an alternative', async () => {
    const schema = `{ properties: { a: { anyOf: [{ type: array, items: { type: string } }, ${UNIQUE}] } } }`;
    await expect(send(schema, '{"a":[9007199254740992,9007199254740993]}')).resolves.toMatchObject({ status: 204 });
    await expect(send(schema, '{"a":[9007199254740993,9007199254740993.0]}')).resolves.toMatchObject({ status: 400 });
  });
});

describe('an int64 or another number', () => {
  const EITHER = `{ anyOf: [{ ${INT64} }, { type: number }] }`;

  test.each([
    [BEYOND, BigInt(BEYOND)],
    ['1.5', 1.5],
    ['1e30', 1e30],
    ['9223372036854775808', 2 ** 63],
  ])('an integer of the range is a bigint: %s', async (body, seen) => {
    await expect(send(EITHER, body)).resolves.toMatchObject({ status: 204, seen });
  });

  test('a reply may have an int64 or another number', async () => {
    expect([await reply(EITHER, 2n ** 53n + 1n), await reply(EITHER, 1.5)]).toEqual([200, 200]);
    expect([await reply(EITHER, 2n ** 63n), await reply(`{ ${INT64} }`, 1)]).toEqual([200, 500]);
    expect(await reply(`{ allOf: [{ ${INT64} }, { anyOf: [{ type: string }, { type: number }] }] }`, 5n)).toBe(200);
  });
});

const ID = `{ ${INT64} }`;
const IDS = `{ type: array, items: ${ID} }`;
const WITH_ID = `{ type: object, required: [id], properties: { id: ${ID} } }`;
const ID_OR_TEXT = `{ oneOf: [${ID}, { type: string }] }`;
const MAP = `{ type: object, additionalProperties: ${ID} }`;
const BIG = 9007199254740993n;

describe('an int64 is exact wherever it stands', () => {
  test.each([
    [ID_OR_TEXT, '9007199254740993', BIG],
    [ID_OR_TEXT, '"9007199254740993"', '9007199254740993'],
    [`{ type: array, items: { anyOf: [${ID}, { type: boolean }] } }`, '[true,1e3]', [true, 1000n]],
    [MAP, '{"a":-9223372036854775808}', { a: -9223372036854775808n }],
    [`{ type: object, properties: { a: {} }, additionalProperties: ${ID} }`, '{"a":1.5,"b":1}', { a: 1.5, b: 1n }],
    [`{ oneOf: [${WITH_ID}, ${IDS}] }`, '{"id":9007199254740993}', { id: BIG }],
    // What is declared in one alternative may be another number where it is not.
    [`{ anyOf: [${WITH_ID}, { type: object, properties: { name: { type: string } } }] }`, '{"id":1.5}', { id: 1.5 }],
    [`{ anyOf: [${WITH_ID}, { type: object, properties: { id: { type: string } } }] }`, '{"id":"1"}', { id: '1' }],
    [`{ type: [integer, 'null'], format: int64 }`, 'null', null],
    [`{ type: [integer, string], format: int64 }`, '9007199254740993', BIG],
    [`{ type: number, format: int64 }`, '9007199254740993', BIG],
    [`{ type: [integer, array, object], format: int64, items: ${ID} }`, '[9007199254740993]', [BIG]],
    [
      `{ type: [integer, array, object], format: int64, properties: { id: ${ID} } }`,
      '{"id":9007199254740993}',
      { id: BIG },
    ],
    [`{ format: int64 }`, '[9007199254740993]', [9007199254740992]],
    [`{ format: int64 }`, '9007199254740993', BIG],
    [`{ prefixItems: [{ type: string }, ${ID}] }`, '["a",9007199254740993,2]', ['a', BIG, 2]],
    [`{ prefixItems: [{ type: string }], items: ${ID} }`, '["a",9007199254740993]', ['a', BIG]],
    [
      `{ patternProperties: { ^n: ${ID} }, properties: { n1: {} }, additionalProperties: { type: number } }`,
      '{"n":9007199254740993,"n1":1,"x":1}',
      { n: BIG, n1: 1n, x: 1 },
    ],
    [`{ patternProperties: { ^n: {}, d$: ${ID} } }`, '{"nd":9007199254740993}', { nd: BIG }],
    [`{ type: object, unevaluatedProperties: ${ID} }`, '{"a":9007199254740993}', { a: BIG }],
    [`{ type: integer, not: { type: integer, format: int64, minimum: 5 } }`, '4', 4],
    [`{ items: {}, contains: ${ID} }`, '[4,"a"]', [4, 'a']],
    [
      `{ properties: { a: ${ID} }, if: { required: [a] }, then: { properties: { a: { minimum: 5 } } } }`,
      '{"a":9007199254740993}',
      { a: BIG },
    ],
    [`{ properties: { a: ${ID} }, then: { properties: { a: ${ID} } } }`, '{"a":9007199254740993}', { a: BIG }],
  ])('%s %s', async (schema, sent, seen) => {
    expect(await send(schema, sent)).toEqual({ status: 204, text: '', seen });
  });

  test.each([
    [ID_OR_TEXT, '9223372036854775808', ' must match exactly one schema in oneOf'],
    [ID_OR_TEXT, '1.5', ' must match exactly one schema in oneOf'],
    [ID_OR_TEXT, '1e30', ' must match exactly one schema in oneOf'],
    [MAP, '{"a":"1"}', '/a must be integer'],
    [ID, '9223372036854775808', ' must be an integer from -9223372036854775808 to 9223372036854775807'],
    [ID, '1e50', ' must be an integer from -9223372036854775808 to 9223372036854775807'],
    [ID, '9007199254740993.5', ' must be integer'],
    [ID, '1.0000000000000000001', ' must be integer'],
    [IDS, '[-9223372036854775809]', '/0 must be an integer from'],
  ])('400: %s %s', async (schema, sent, message) => {
    const { status, text } = await send(schema, sent);
    expect([status, text]).toEqual([400, expect.stringContaining(`request/body${message}`)]);
  });
});

test.each([
  [BIG, 200],
  [5, 200],
  [2n ** 63n, 500],
  ['5', 500],
])('a reply in which an int64 of one alternative is another number in the next: %s', async (id, status) => {
  const other = '{ type: object, required: [id], properties: { id: { type: integer, maximum: 5 } } }';
  expect(await reply(`{ anyOf: [${WITH_ID}, ${other}] }`, { id }, '3.0.3')).toBe(status);
});

test('a reply has int64s that no number holds, and bigints that the contract does not describe, digit for digit', async () => {
  const schema = `{ type: object, properties: { ids: { type: array, uniqueItems: true, items: ${ID} } }, additionalProperties: true }`;
  const body = { ids: [BIG, 2n ** 53n - 1n, -(2n ** 63n)], other: [2n ** 64n] };
  await using served = await serveOperation({ method: 'get', reply: schema }, (_, answer) => answer(200, body));
  expect((await request(served.server).get('/a')).text).toBe(
    '{"ids":[9007199254740993,9007199254740991,-9223372036854775808],"other":[18446744073709551616]}',
  );
});
