import request from 'supertest';
import { serveEcho } from '../../../../tests/support/serve-echo';
import { loadText } from '../../../../tests/support/load-text';
import { serveText } from '../../../../tests/support/serve-text';

const INT64 = 'type: integer, format: int64';
const BEYOND = '9007199254740993';

async function send(schema: string, body: string): Promise<{ status: number; text: string; seen: unknown }> {
  const operation = `requestBody: { required: true, content: { application/json: { schema: ${schema} } } }`;
  await using echo = await serveEcho('/echo', operation);
  const { status, text } = await request(echo.server).post('/echo').set('Content-Type', 'application/json').send(body);
  return { status, text, seen: echo.seen[0]?.['body'] };
}

/** The status of a reply with a value of a schema. */
async function reply(schema: string, value: unknown, version = '3.1.0'): Promise<number> {
  const failure = "{ $ref: '#/components/responses/Failure' }";
  const source = `openapi: ${version}
info: { title: Rules, version: 1.0.0 }
paths:
  /a: { get: { operationId: a, responses: { '200': { description: Fine., content: { application/json: { schema: ${schema} } } }, '400': ${failure}, '500': ${failure}, '503': ${failure} } } }
components:
  responses: { Failure: { description: Failed., content: { application/json: { schema: { $ref: '#/components/schemas/Error' } } } } }
  schemas: { Error: { type: object, required: [error, message], properties: { error: { type: integer }, message: { type: string } } } }
`;
  await using served = await serveText(source, { a: (_, answer) => answer(200, value) });
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
    [`const: ${BEYOND}`, BEYOND, '9007199254740992', 'equal to one of the allowed values'],
    ['multipleOf: 3', '9007199254740993', '9007199254740994', 'multiple of 3'],
    [`multipleOf: ${BEYOND}`, BEYOND, '9007199254740992', `multiple of ${BEYOND}`],
  ])('%s', async (rule, right, wrong, message) => {
    const schema = `{ ${INT64}, ${rule} }`;
    await expect(send(schema, right)).resolves.toMatchObject({ status: 204, seen: `${right}n` });
    const refused = await send(schema, wrong);
    expect([refused.status, refused.text]).toEqual([400, expect.stringContaining(`request/body must be ${message}`)]);
    expect([await reply(schema, BigInt(right)), await reply(schema, BigInt(wrong))]).toEqual([200, 500]);
  });

  test.each(['minimum: 9007199254740993, exclusiveMinimum: true', 'maximum: 9007199254740995, exclusiveMaximum: true'])(
    'as OpenAPI 3.0 writes them: %s',
    async (rule) => {
      const schema = `{ ${INT64}, ${rule} }`;
      const values = [9007199254740993n, 9007199254740994n, 9007199254740995n];
      const statuses = await Promise.all(values.map((value) => reply(schema, value, '3.0.3')));
      expect(statuses[1]).toBe(200);
      expect(statuses[rule.startsWith('min') ? 0 : 2]).toBe(500);
    },
  );

  test.each([
    'minimum: -9223372036854775808, maximum: 9223372036854775807',
    'exclusiveMinimum: -9223372036854775809, exclusiveMaximum: 9223372036854775808',
  ])('those of the range of int64 are no rules, inside an alternative too: %s', async (rules) => {
    const schema = `{ oneOf: [{ ${INT64}, ${rules} }, { type: string }] }`;
    for (const value of ['-9223372036854775808', '9223372036854775807']) {
      await expect(send(schema, value)).resolves.toMatchObject({ status: 204, seen: `${value}n` });
    }
  });

  test('other numbers are doubles, and their rules', async () => {
    const schema = `{ type: number, maximum: ${BEYOND}, exclusiveMinimum: -1e300 }`;
    await expect(send(schema, '9007199254740992')).resolves.toMatchObject({ status: 204, seen: 2 ** 53 });
    await expect(send(schema, '9007199254740994')).resolves.toMatchObject({ status: 400 });
  });

  test('a default that a double cannot hold', async () => {
    const schema = `{ type: object, properties: { id: { ${INT64}, default: ${BEYOND} }, other: { ${INT64} } } }`;
    await expect(send(schema, '{}')).resolves.toMatchObject({ seen: { id: `${BEYOND}n` } });
    await expect(send(schema, '{"other":9007199254740995}')).resolves.toMatchObject({
      seen: { id: `${BEYOND}n`, other: '9007199254740995n' },
    });
    await expect(send(schema, '{"id":9007199254740992}')).resolves.toMatchObject({ seen: { id: '9007199254740992n' } });
    const double = `{ type: object, properties: { id: { ${INT64}, default: 1e18 } } }`;
    await expect(send(double, '{}')).resolves.toMatchObject({ seen: { id: '1000000000000000000n' } });
  });
});

test.each([
  ['operations', ['plain', 'alternative']],
  ['operations in the other order', ['alternative', 'plain']],
])('a rule that is right in one operation is a mistake inside an alternative of another: %s', (_, ids) => {
  const schemas = {
    plain: { $ref: '#/components/schemas/Id' },
    alternative: { oneOf: [{ $ref: '#/components/schemas/Id' }, { type: 'string' }] },
  };
  const toItem = (id: keyof typeof schemas): object => {
    const content = { 'application/json': { schema: schemas[id] } };
    return { put: { operationId: id, requestBody: { content }, responses: {} } };
  };
  const load = (some: readonly string[]): unknown =>
    loadText(
      JSON.stringify({
        openapi: '3.1.0',
        info: { title: 'Rules', version: '1.0.0' },
        paths: Object.fromEntries(some.map((id) => [`/${id}`, toItem(id as keyof typeof schemas)])),
        components: { schemas: { Id: { type: 'integer', format: 'int64', multipleOf: 3 } } },
      }),
    );
  expect(() => load(['plain'])).not.toThrow();
  expect(() => load(ids)).toThrow('multipleOf is not checked by all digits of an int64 inside an alternative');
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

  test('of a reply', async () => {
    const schema = `{ type: array, uniqueItems: true, items: { ${INT64} } }`;
    expect([await reply(schema, [2n ** 53n, 2n ** 53n + 1n]), await reply(schema, [5n, 5n])]).toEqual([200, 500]);
  });
});

describe('an int64 or another number', () => {
  const EITHER = `{ anyOf: [{ ${INT64} }, { type: number }] }`;

  test.each([
    [BEYOND, `${BEYOND}n`],
    ['1.5', 1.5],
    ['1e30', 1e30],
    ['9223372036854775808', 2 ** 63],
  ])('an integer of the range is a bigint: %s', async (body, seen) => {
    await expect(send(EITHER, body)).resolves.toMatchObject({ status: 204, seen });
  });

  test('a reply may have an int64 or another number', async () => {
    expect([await reply(EITHER, 2n ** 53n + 1n), await reply(EITHER, 1.5)]).toEqual([200, 200]);
    expect([await reply(EITHER, 2n ** 63n), await reply(`{ ${INT64} }`, 1)]).toEqual([500, 500]);
    expect(await reply(`{ allOf: [{ ${INT64} }, { anyOf: [{ type: string }, { type: number }] }] }`, 5n)).toBe(200);
  });
});
