import { expressOpenapiValidator } from '../../../src/validate/eov/eov';
import { Violation, type Messages, type Validator } from '../../../src/validate/validator';
import type { Message } from '../../../src/contract/operation/message';
import type { NormalizedDocument as Document } from '../../../src/contract/schema/document';
import type { NormalizedSchema as Schema } from '../../../src/contract/schema/schema';

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Words', version: '1.0.0' },
  paths: {},
  components: {
    schemas: {
      Word: { type: 'string', maxLength: 3 },
      Nest: { type: 'object', properties: { inner: { $ref: '#/components/schemas/Nest' } } },
    },
  },
} as unknown as Document;

const WORD = { $ref: '#/components/schemas/Word' };

/** What is asked of a message: its own schema. */
function toMessage(properties: Readonly<Record<string, object>>, required: readonly string[] = []): Message {
  const schema = { type: 'object', required, properties, additionalProperties: false } as unknown as Schema;
  return { schema, excluded: 'readOnly', shape: {} as Message['shape'] };
}

function catchViolation(attempt: () => void): { pointer: string; message: string } | undefined {
  try {
    attempt();
    return undefined;
  } catch (error) {
    if (!(error instanceof Violation)) throw error;
    return { pointer: String(error.faults[0]?.pointer), message: error.message };
  }
}

const body = toMessage({ body: { type: 'object', required: ['word'], properties: { word: WORD } } }, ['body']);
const query = toMessage({
  query: { type: 'object', properties: { limit: { type: 'integer', default: 20 } }, additionalProperties: false },
});
const reply = toMessage({ body: WORD }, ['body']);

function create(operations: readonly Messages[] = [{ requests: [body, query], replies: [reply] }]): Validator {
  return expressOpenapiValidator(DOCUMENT, operations);
}

describe('a request', () => {
  const { assertRequest } = create();

  test.each<[string, Message, unknown, string, string]>([
    [
      'a member of the body',
      body,
      { body: { word: 'long' } },
      '/body/word',
      'request/body/word must NOT have more than 3 characters',
    ],
    ['a member that is missing', body, { body: {} }, '/body/word', "request/body must have required property 'word'"],
    ['a body that is missing', body, {}, '/body', "request must have required property 'body'"],
    ['a parameter', query, { query: { limit: 'x' } }, '/query/limit', 'request/query/limit must be integer'],
    [
      'a parameter more',
      query,
      { query: { more: 1 } },
      '/query/more',
      'request/query must NOT have additional properties',
    ],
  ])('that is wrong has a pointer and a text: %s', (...row) => {
    const [, message, value, pointer, text] = row;
    expect(
      catchViolation(() => {
        assertRequest(message, value);
      }),
    ).toEqual({ pointer, message: text });
  });

  test('that is right passes, and what has a default is filled in', () => {
    const value = { query: {} };
    assertRequest(query, value);
    expect(value).toEqual({ query: { limit: 20 } });
    expect(() => {
      assertRequest(body, { body: { word: 'abc' } });
    }).not.toThrow();
  });
});

test('a reply that is wrong has a pointer and a text', () => {
  const { assertReply } = create();
  expect(() => {
    assertReply(reply, { body: 'abc' });
  }).not.toThrow();
  const violation = catchViolation(() => {
    assertReply(reply, { body: 1 });
  });
  expect(violation).toEqual({ pointer: '/body', message: '/response/body must be string' });
});

test.each(['date', 'date-time'])('what is no text is no %s: nothing is converted', (format) => {
  const day = toMessage({ body: { type: 'string', format, nullable: true } }, ['body']);
  const { assertRequest, assertReply } = create([{ requests: [day], replies: [day] }]);
  for (const assertMessage of [assertRequest, assertReply]) {
    const find = (sent: unknown): string | undefined =>
      catchViolation(() => {
        assertMessage(day, { body: sent });
      })?.message;
    expect(find(null)).toBeUndefined();
    expect(find(0)).toMatch(/^(?:request|.response)\/body must be string$/);
    expect(find('today')).toContain(`must match format "${format}"`);
  }
});

test('parameters that are written alike, and what is referred to, are each held to their own message', () => {
  const group = (name: string): object => ({ type: 'object', required: [name], properties: { [name]: WORD } });
  const [one, other] = [toMessage({ path: group('a') }), toMessage({ path: group('a'), query: group('b') })];
  const { assertRequest } = create([{ requests: [one, other], replies: [] }]);
  const find = (message: Message, sent: object): string | undefined =>
    catchViolation(() => {
      assertRequest(message, sent);
    })?.message;
  expect(find(one, { path: { a: 'long' } })).toBe('request/path/a must NOT have more than 3 characters');
  expect(find(other, { path: { a: 'abc' }, query: { b: 'long' } })).toContain('request/query/b must NOT have');
  expect(find(other, { path: {} })).toBe("request/path must have required property 'a'");
});

test('of several wrong members the first one is told', () => {
  const two = toMessage({ body: { type: 'object', properties: { a: WORD, b: { enum: ['x', 'y'] } } } });
  const { assertRequest } = create([{ requests: [two], replies: [] }]);
  const tell = (sent: object): unknown =>
    catchViolation(() => {
      assertRequest(two, { body: sent });
    });
  expect(tell({ a: 1, b: 'z' })).toEqual({ pointer: '/body/a', message: 'request/body/a must be string' });
  const text = 'request/body/b must be equal to one of the allowed values: x, y';
  expect(tell({ a: 'a', b: 'z' })).toEqual({ pointer: '/body/b', message: text });
});

test('more wrong members are found on demand, beside those that were found', () => {
  const two = toMessage({ body: { type: 'object', properties: { a: WORD, b: { enum: ['x', 'y'] } } } });
  const { findFaults } = create([{ requests: [two], replies: [] }]);
  const known = { pointer: '/body/a', rule: 'mine', message: 'is known' };
  const texts = (value: object): string[] => findFaults(two, { body: value }, [known]).map(({ message }) => message);
  const text = 'request/body/b must be equal to one of the allowed values: x, y';
  expect([{ a: 1, b: 'z' }, { a: 1, b: 'x' }, { a: 'a' }].map(texts)).toEqual([
    ['is known', text],
    ['is known'],
    ['is known'],
  ]);
});

test('schemas inside schemas are held to, and what a schema refers to is found', () => {
  const deep = {
    allOf: [{ type: 'object', properties: { words: { type: 'array', items: WORD } } }],
    additionalProperties: { not: WORD },
  };
  const closed = { type: 'object', additionalProperties: false };
  const message = toMessage({ body: { oneOf: [deep, closed] } });
  const { assertRequest } = create([{ requests: [message], replies: [] }]);
  const isRight = (sent: object): boolean =>
    catchViolation(() => {
      assertRequest(message, { body: sent });
    }) === undefined;
  expect([{ other: 1 }, { words: ['long'] }, { other: 'abc' }].map(isRight)).toEqual([true, false, false]);
});

test('the items of a tuple are held to what they refer to, each by its position', () => {
  const pair = { type: 'array', prefixItems: [{ type: 'integer' }, WORD], minItems: 2, maxItems: 2 };
  const message = toMessage({ body: pair });
  const { assertRequest } = expressOpenapiValidator({ ...DOCUMENT, openapi: '3.1.0' }, [
    { requests: [message], replies: [] },
  ]);
  const pointerOf = (sent: object): string | undefined =>
    catchViolation(() => {
      assertRequest(message, { body: sent });
    })?.pointer;
  expect(
    [
      [1, 'abc'],
      ['abc', 'abc'],
      [1, 'long'],
    ].map(pointerOf),
  ).toEqual([undefined, '/body/0', '/body/1']);
});

test('a message of another contract is refused', () => {
  const { assertRequest, assertReply } = create();
  const foreign = toMessage({});
  expect(() => {
    assertRequest(foreign, {});
  }).toThrow('the message is not in the contract');
  expect(() => {
    assertReply(foreign, {});
  }).toThrow('the message is not in the contract');
});

test('a value that is too deep for a schema that holds itself is a RangeError, and the next one is judged', () => {
  const nest = toMessage({ body: { $ref: '#/components/schemas/Nest' } });
  const { assertRequest } = create([{ requests: [nest], replies: [] }]);
  let deep: object = {};
  for (let depth = 0; depth < 100_000; depth += 1) deep = { inner: deep };
  expect(() => {
    assertRequest(nest, { body: deep });
  }).toThrow(RangeError);
  expect(() => {
    assertRequest(nest, { body: { inner: {} } });
  }).not.toThrow();
  expect(
    catchViolation(() => {
      assertRequest(nest, { body: { inner: 1 } });
    })?.pointer,
  ).toBe('/body/inner');
});

test('messages of more than one document are each held to their own schema', () => {
  const operations = Array.from({ length: 60 }, (_unused, index) => ({
    requests: [toMessage({ body: { enum: [index] } })],
    replies: [toMessage({ body: { enum: [index] } })],
  }));
  const { assertRequest, assertReply } = create(operations);
  for (const [index, { requests, replies }] of operations.entries()) {
    const accepted = operations.map((_unused, value) => [
      requests.every(
        (one) =>
          catchViolation(() => {
            assertRequest(one, { body: value });
          }) === undefined,
      ),
      replies.every(
        (one) =>
          catchViolation(() => {
            assertReply(one, { body: value });
          }) === undefined,
      ),
    ]);
    expect(accepted).toEqual(operations.map((_unused, value) => [value === index, value === index]));
  }
});

test.each([
  ['a pattern', { type: 'string', pattern: '[' }, 'Invalid regular expression'],
  ['a type', { type: 'strin' }, 'type must be JSONType'],
])('%s that cannot be compiled is an error at once, in a request as in a reply', (_, schema, message) => {
  const wrong = toMessage({ body: schema });
  expect(() => create([{ requests: [wrong], replies: [] }])).toThrow(message);
  expect(() => create([{ requests: [], replies: [wrong] }])).toThrow(message);
});

test('nullable without a type changes nothing (OpenAPI 3.0.3)', () => {
  const word = toMessage({ body: { nullable: true, allOf: [WORD] } }, ['body']);
  const eov = expressOpenapiValidator(DOCUMENT, [{ requests: [word], replies: [] }]);
  eov.assertRequest(word, { body: 'abc' });
  expect(
    catchViolation(() => {
      eov.assertRequest(word, { body: null });
    })?.pointer,
  ).toBe('/body');
});

test('an error that is not about the size of a message is not hidden by the look for all wrong fields', () => {
  const two = toMessage({ body: { type: 'object', properties: { a: WORD } } });
  const { findFaults } = create([{ requests: [two], replies: [] }]);
  const broken = {
    get a(): string {
      throw new TypeError('a getter fails');
    },
  };
  expect(() => findFaults(two, { body: broken }, [])).toThrow('a getter fails');
});
