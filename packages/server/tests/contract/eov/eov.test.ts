import { expressOpenapiValidator, proveAjv } from '../../../src/validate/eov/eov';
import { Violation, type Messages, type Validator } from '../../../src/validate/validator';
import type { Message } from '../../../src/contract/operation/message';
import type { NormalizedDocument as Document } from '../../../src/contract/schema/document';
import type { NormalizedSchema as Schema } from '../../../src/contract/schema/schema';
import { ContractError } from '../../../src/contract/text/mistake';
import { compile, type Compilers } from '../../../src/validate/eov/compile';

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

type Assert = (message: Message, value: unknown) => void;

/** What is wrong with a value, if anything is. */
function judge(
  assertMessage: Assert,
  message: Message,
  value: unknown,
): { pointer: string; message: string } | undefined {
  try {
    assertMessage(message, value);
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

const createFor = (...requests: Message[]): Validator => create([{ requests, replies: [] }]);

describe('a request', () => {
  const { assertRequest } = create();
  const WORD_TEXT = 'request/body/word must NOT have more than 3 characters';

  test.each<[Message, object, string, string]>([
    [body, { body: { word: 'long' } }, '/body/word', WORD_TEXT],
    [body, { body: {} }, '/body/word', "request/body must have required property 'word'"],
    [body, {}, '/body', "request must have required property 'body'"],
    [query, { query: { limit: 'x' } }, '/query/limit', 'request/query/limit must be integer'],
    [query, { query: { more: 1 } }, '/query/more', 'request/query must NOT have additional properties: more'],
  ])('that is wrong has a pointer and a text: %#', (...[message, value, pointer, text]) => {
    expect(judge(assertRequest, message, value)).toEqual({ pointer, message: text });
  });

  test('that is right passes, and what has a default is filled in', () => {
    const value = { query: {} };
    assertRequest(query, value);
    expect(value).toEqual({ query: { limit: 20 } });
    expect(judge(assertRequest, body, { body: { word: 'abc' } })).toBeUndefined();
  });
});

test('a reply that is wrong has a pointer and a text', () => {
  const { assertReply } = create();
  expect(judge(assertReply, reply, { body: 'abc' })).toBeUndefined();
  const told = { pointer: '/body', message: '/response/body must be string' };
  expect(judge(assertReply, reply, { body: 1 })).toEqual(told);
});

test.each(['date', 'date-time'])('what is not a text is not a %s: nothing is converted', (format) => {
  const day = toMessage({ body: { type: 'string', format, nullable: true } }, ['body']);
  const { assertRequest, assertReply } = create([{ requests: [day], replies: [day] }]);
  for (const assertMessage of [assertRequest, assertReply]) {
    const find = (sent: unknown): string | undefined => judge(assertMessage, day, { body: sent })?.message;
    expect(find(null)).toBeUndefined();
    expect(find(0)).toMatch(/^(?:request|.response)\/body must be string$/);
    expect(find('today')).toContain(`must match format "${format}"`);
  }
});

test('parameters that are written alike, and what is referred to, are each held to their own message', () => {
  const group = (name: string): object => ({ type: 'object', required: [name], properties: { [name]: WORD } });
  const [one, other] = [toMessage({ path: group('a') }), toMessage({ path: group('a'), query: group('b') })];
  const { assertRequest } = createFor(one, other);
  const find = (message: Message, sent: object): string | undefined => judge(assertRequest, message, sent)?.message;
  expect(find(one, { path: { a: 'long' } })).toBe('request/path/a must NOT have more than 3 characters');
  expect(find(other, { path: { a: 'abc' }, query: { b: 'long' } })).toContain('request/query/b must NOT have');
  expect(find(other, { path: {} })).toBe("request/path must have required property 'a'");
});

const TWO = toMessage({ body: { type: 'object', properties: { a: WORD, b: { enum: ['x', 'y'] } } } });
const ENUM_TEXT = 'request/body/b must be equal to one of the allowed values: x, y';

test('of several wrong members the first one is told', () => {
  const { assertRequest } = createFor(TWO);
  const tell = (sent: object): unknown => judge(assertRequest, TWO, { body: sent });
  expect(tell({ a: 1, b: 'z' })).toEqual({ pointer: '/body/a', message: 'request/body/a must be string' });
  expect(tell({ a: 'a', b: 'z' })).toEqual({ pointer: '/body/b', message: ENUM_TEXT });
});

test('more wrong members are found on demand, beside those that were found', () => {
  const { findFaults } = createFor(TWO);
  const known = { pointer: '/body/a', rule: 'mine', message: 'is known' };
  const texts = (value: object): string =>
    findFaults(TWO, { body: value }, [known])
      .map(({ message }) => message)
      .join('; ');
  const found = [{ a: 1, b: 'z' }, { a: 1, b: 'x' }, { a: 'a' }].map(texts);
  expect(found).toEqual([`is known; ${ENUM_TEXT}`, 'is known', 'is known']);
});

test('schemas inside schemas are held to, and what a schema refers to is found', () => {
  const deep = {
    allOf: [{ type: 'object', properties: { words: { type: 'array', items: WORD } } }],
    additionalProperties: { not: WORD },
  };
  const message = toMessage({ body: { oneOf: [deep, { type: 'object', additionalProperties: false }] } });
  const { assertRequest } = createFor(message);
  const isRight = (sent: object): boolean => judge(assertRequest, message, { body: sent }) === undefined;
  expect([{ other: 1 }, { words: ['long'] }, { other: 'abc' }].map(isRight)).toEqual([true, false, false]);
});

test('the items of a tuple are held to what they refer to, each by its position', () => {
  const pair = { type: 'array', prefixItems: [{ type: 'integer' }, WORD], minItems: 2, maxItems: 2 };
  const message = toMessage({ body: pair });
  const document = { ...DOCUMENT, openapi: '3.1.0' };
  const { assertRequest } = expressOpenapiValidator(document, [{ requests: [message], replies: [] }]);
  const pointerOf = (...sent: unknown[]): string | undefined => judge(assertRequest, message, { body: sent })?.pointer;
  const pointers = [pointerOf(1, 'abc'), pointerOf('abc', 'abc'), pointerOf(1, 'long')];
  expect(pointers).toEqual([undefined, '/body/0', '/body/1']);
});

test('a message of another contract is refused', () => {
  const { assertRequest, assertReply } = create();
  for (const assertMessage of [assertRequest, assertReply]) {
    expect(() => judge(assertMessage, toMessage({}), {})).toThrow('the message is not in the contract');
  }
});

test('a value that is too deep for a schema that holds itself is a RangeError, and the next one is judged', () => {
  const nest = toMessage({ body: { $ref: '#/components/schemas/Nest' } });
  const { assertRequest } = createFor(nest);
  let deep: object = {};
  for (let depth = 0; depth < 100_000; depth += 1) deep = { inner: deep };
  expect(() => judge(assertRequest, nest, { body: deep })).toThrow(RangeError);
  expect(judge(assertRequest, nest, { body: { inner: {} } })).toBeUndefined();
  expect(judge(assertRequest, nest, { body: { inner: 1 } })?.pointer).toBe('/body/inner');
});

test('messages of more than one document are each held to their own schema', () => {
  const toEnum = (index: number): Message => toMessage({ body: { enum: [index] } });
  const indexes = Array.from({ length: 60 }, (_unused, index) => index);
  const operations = indexes.map((index) => ({ requests: [toEnum(index)], replies: [toEnum(index)] }));
  const { assertRequest, assertReply } = create(operations);
  const findAccepted = (assertMessage: Assert, messages: readonly Message[]): number[] =>
    indexes.filter((body) => messages.every((one) => judge(assertMessage, one, { body }) === undefined));
  for (const [index, { requests, replies }] of operations.entries()) {
    expect(findAccepted(assertRequest, requests)).toEqual([index]);
    expect(findAccepted(assertReply, replies)).toEqual([index]);
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
  expect(judge(eov.assertRequest, word, { body: null })?.pointer).toBe('/body');
});

test('an error that is not about the size of a message is not hidden by the look for all wrong fields', () => {
  const { findFaults } = createFor(TWO);
  const broken = {
    get a(): string {
      throw new TypeError('a getter fails');
    },
  };
  expect(() => findFaults(TWO, { body: broken }, [])).toThrow('a getter fails');
});

const pass = (): undefined => undefined;

test.each(['3.0.3', '3.1.0'])('what is installed as Ajv refuses wrong values, OpenAPI %s', (openapi) => {
  expect(() => {
    proveAjv(openapi);
  }).not.toThrow();
});

test.each<[string, string, Partial<Compilers>, string]>([
  ['requests', '3.0.0', { compileRequest: () => pass }, 'anyOf, oneOf, if'],
  ['replies', '3.0.0', { compileReply: () => pass }, 'anyOf, oneOf, if'],
  ['requests', '3.1.1', { compileRequest: () => pass }, 'anyOf, oneOf, if'],
  ['replies', '3.1.1', { compileReply: () => pass }, 'anyOf, oneOf, if'],
])('one that lets wrong %s pass stops the start, OpenAPI %s', (_, openapi, passing, keywords) => {
  const prove = (): void => {
    proveAjv(openapi, (document) => ({ ...compile(document), ...passing }));
  };
  expect(prove).toThrow(ContractError);
  const told = String.raw`^(ajv@(\S+)) is in the place of \1, and lets wrong values pass ${keywords}\.\n[^{]*\{[^{]*\{\s*"ajv": "\2"`;
  expect(prove).toThrow(new RegExp(told));
});

test('it is tried once for each version of OpenAPI', () => {
  const tried: object[] = [];
  for (const openapi of ['3.0.1', '3.0.1', '3.1.2', '3.0.1']) {
    proveAjv(openapi, (document) => {
      tried.push(document);
      return compile(document);
    });
  }
  expect(tried).toMatchObject([{ openapi: '3.0.1' }, { openapi: '3.1.2' }]);
});
