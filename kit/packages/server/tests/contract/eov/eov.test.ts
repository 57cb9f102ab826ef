import { Ajv2020 } from 'ajv/dist/2020';
import Ajv from 'ajv/dist/core';
import * as OpenApiValidator from 'express-openapi-validator';
import { RequestValidator } from 'express-openapi-validator/dist/middlewares';
import { createValidator } from '../../../src/validate/eov/eov';
import { addKeywords } from '../../../src/validate/eov/keywords';
import type { JudgeMessage, Messages, Validator } from '../../../src/validate/validator';
import type { MessageSchema, NormalizedDocument as Document, NormalizedSchema as Schema } from '@contract-kit/contract';

const DOCUMENT = {
  openapi: '3.0.3',
  info: { title: 'Words', version: '1.0.0' },
  paths: {},
  components: {
    schemas: {
      Word: { type: 'string', maxLength: 3 },
      Size: { type: 'integer', default: 3 },
      Nest: { type: 'object', properties: { inner: { $ref: '#/components/schemas/Nest' } } },
    },
  },
} as unknown as Document;

const WORD = { $ref: '#/components/schemas/Word' };

/** What is asked of a message: its own schema. */
function toMessage(properties: Readonly<Record<string, object>>, required: readonly string[] = []): MessageSchema {
  const schema = { type: 'object', required, properties, additionalProperties: false } as unknown as Schema;
  return { schema, excluded: 'readOnly', shape: {} as MessageSchema['shape'] };
}

/** What is wrong with a value, if anything is. */
function judge(
  judgeMessage: JudgeMessage,
  message: MessageSchema,
  value: unknown,
): { pointer: string; message: string } | undefined {
  const [fault, ...others] = judgeMessage(message, value);
  expect(others).toEqual([]);
  return fault && { pointer: fault.pointer, message: fault.message };
}

const body = toMessage({ body: { type: 'object', required: ['word'], properties: { word: WORD } } }, ['body']);
const query = toMessage({
  query: { type: 'object', properties: { limit: { type: 'integer', default: 20 } }, additionalProperties: false },
});
const reply = toMessage({ body: WORD }, ['body']);

function create(operations: readonly Messages[] = [{ requests: [body, query], replies: [reply] }]): Validator {
  return createValidator(OpenApiValidator, DOCUMENT, operations);
}

const createFor = (...requests: MessageSchema[]): Validator => create([{ requests, replies: [] }]);

describe('a request', () => {
  const { judgeRequest } = create();
  const WORD_TEXT = 'request/body/word must NOT have more than 3 characters';

  test.each<[MessageSchema, object, string, string]>([
    [body, { body: { word: 'long' } }, '/body/word', WORD_TEXT],
    [body, { body: {} }, '/body/word', "request/body must have required property 'word'"],
    [body, {}, '/body', "request must have required property 'body'"],
    [query, { query: { limit: 'x' } }, '/query/limit', 'request/query/limit must be integer'],
    [query, { query: { more: 1 } }, '/query/more', 'request/query must NOT have additional properties: more'],
    [query, { query: { 'a/b~c': 1 } }, '/query/a~1b~0c', 'request/query must NOT have additional properties: a/b~c'],
  ])('that is wrong has a pointer and a text: %#', (...[message, value, pointer, text]) => {
    expect(judge(judgeRequest, message, value)).toEqual({ pointer, message: text });
  });

  test('that is right passes, and what has a default is filled in', () => {
    const value = { query: {} };
    judgeRequest(query, value);
    expect(value).toEqual({ query: { limit: 20 } });
    expect(judge(judgeRequest, body, { body: { word: 'abc' } })).toBeUndefined();
  });
});

test('a default that many messages have is compiled once, and filled in for each of them', () => {
  const compile = jest.spyOn(Ajv.prototype, 'compile');
  const limited = (name: string): MessageSchema => toMessage({ limit: { type: 'integer', default: 20 }, [name]: {} });
  const messages = ['a', 'b', 'c'].map(limited);
  const { judgeRequest } = createFor(...messages);
  expect(compile).toHaveBeenCalledTimes(1);
  for (const message of messages) {
    const value = {};
    judgeRequest(message, value);
    expect(value).toEqual({ limit: 20 });
  }
});

test('a default behind a reference or in allOf is filled in, if its own schema and those beside it take it', () => {
  const size = { $ref: '#/components/schemas/Size' };
  const properties = {
    own: { default: 4, allOf: [size] },
    referred: size,
    composed: { allOf: [size, { maximum: 3 }] },
    refused: { allOf: [size, { maximum: 2 }] },
  };
  const alternative = { anyOf: [{ properties: { other: size } }] };
  const message = toMessage({ body: { ...alternative, properties }, list: { items: { properties: { size } } } });
  const value = { body: {}, list: [{}, { size: 1 }] };
  createFor(message).judgeRequest(message, value);
  expect(value).toEqual({ body: { own: 4, referred: 3, composed: 3 }, list: [{ size: 3 }, { size: 1 }] });
});

test.each(['date', 'date-time'])('what is not a text is not a %s: nothing is converted', (format) => {
  const day = toMessage({ body: { type: 'string', format, nullable: true } }, ['body']);
  const { judgeRequest, judgeReply } = create([{ requests: [day], replies: [day] }]);
  for (const judgeMessage of [judgeRequest, judgeReply]) {
    const find = (sent: unknown): string | undefined => judge(judgeMessage, day, { body: sent })?.message;
    expect(find(null)).toBeUndefined();
    expect(find(0)).toMatch(/^(?:request|.response)\/body must be string$/);
    expect(find('today')).toContain(`must match format "${format}"`);
  }
});

test('a message of another contract is refused', () => {
  const { judgeRequest, judgeReply } = create();
  for (const judgeMessage of [judgeRequest, judgeReply]) {
    expect(() => judge(judgeMessage, toMessage({}), {})).toThrow('the message is not in the contract');
  }
});

test('a value that is too deep for a schema that holds itself is a RangeError, and the next one is judged', () => {
  const nest = toMessage({ body: { $ref: '#/components/schemas/Nest' } });
  const { judgeRequest } = createFor(nest);
  let deep: object = {};
  for (let depth = 0; depth < 100_000; depth += 1) deep = { inner: deep };
  expect(() => judge(judgeRequest, nest, { body: deep })).toThrow(RangeError);
  expect(judge(judgeRequest, nest, { body: { inner: {} } })).toBeUndefined();
  expect(judge(judgeRequest, nest, { body: { inner: 1 } })?.pointer).toBe('/body/inner');
});

test('the faults of one message are not told of the next one, which EOV refuses for another reason', () => {
  const { judgeRequest } = create();
  expect(judge(judgeRequest, body, { body: {} })?.pointer).toBe('/body/word');
  const refuse = jest.spyOn(RequestValidator.prototype, 'validate').mockImplementation((_request, _response, next) => {
    next(Object.assign(new Error('not today'), { status: 400 }));
  });
  expect(judge(judgeRequest, body, { body: { word: 'abc' } })).toEqual({ pointer: '', message: 'request not today' });
  refuse.mockRestore();
});

const withStatus = (status: number): Error => Object.assign(new Error('EOV is broken'), { status });

test.each<[string, unknown[], string]>([
  ['an error for another status', [withStatus(403)], 'EOV is broken'],
  ['an error without a status', [new Error('EOV is broken')], 'EOV is broken'],
  ['null', [null], 'did not decide'],
  ['a text', ['broken'], 'did not decide'],
  ['nothing, or not at once', [], 'did not decide'],
  ['a failure first, and then no error', [withStatus(503), undefined], 'EOV is broken'],
])('when EOV answers a request with %s, the server fails: the error has no status', async (_, answers, text) => {
  const fail = jest.spyOn(RequestValidator.prototype, 'validate').mockImplementation((_request, _response, next) => {
    for (const answer of answers) next(answer);
  });
  const failure: unknown = await Promise.try(create).catch((error: unknown) => error);
  fail.mockRestore();
  expect(failure).toMatchObject({ message: expect.stringContaining(text) as unknown });
  expect(failure).not.toHaveProperty('status');
});

test.each(['3.0.3', '3.1.0'])('a fork of Ajv that lets wrong values pass stops the start, OpenAPI %s', (openapi) => {
  const spy = jest.spyOn(RequestValidator.prototype, 'validate').mockImplementation((request, _response, next) => {
    // As a fork does, where a schema is referred to twice.
    next('anyOf' in (request.body as object) ? undefined : withStatus(400));
  });
  const start = (): unknown => createValidator(OpenApiValidator, { ...DOCUMENT, openapi }, []);
  const told = String.raw`^(ajv@(\S+)) is installed in place of \1, and lets wrong values pass anyOf\.\n[^{]*\{[^{]*\{\s*"ajv": "\2"`;
  expect(start).toThrow(new RegExp(told));
  spy.mockRestore();
});

test('when the security middleware fails, the server fails: nobody is refused or let in', async () => {
  function securityMiddleware(_request: unknown, _response: unknown, next: (error: unknown) => void): void {
    next(withStatus(500));
  }
  const eov = { middleware: () => [securityMiddleware] } as unknown as typeof OpenApiValidator;
  const isSecure = createValidator(eov, DOCUMENT, []).createIsSecure([]);
  const asked = isSecure({ headers: {}, query: {}, cookies: {}, isValid: () => true });
  await expect(asked).rejects.toThrow('EOV is broken');
});

describe('the stack', () => {
  const FRAME = /\n {4}at /;
  const catchError = (run: () => unknown): Error => {
    try {
      run();
    } catch (error) {
      return error as Error;
    }
    throw new Error('nothing was thrown');
  };

  // Nobody reads it, and it takes longer to capture than the rest of a refusal.
  test('of an error that refuses a request is not captured, and that of the next error is', () => {
    const { judgeRequest } = create();
    const answers: Error[] = [];
    const validate = Reflect.get(RequestValidator.prototype, 'validate') as (...question: unknown[]) => unknown;
    const spy = jest.spyOn(RequestValidator.prototype, 'validate').mockImplementation(function (
      this: RequestValidator,
      ...question
    ) {
      try {
        void Reflect.apply(validate, this, question);
      } catch (error) {
        answers.push(error as Error);
        throw error;
      }
    });
    expect(judgeRequest(body, {})).toHaveLength(1);
    spy.mockRestore();
    expect(answers).toHaveLength(1);
    expect(answers[0]?.stack).not.toMatch(FRAME);
    expect(new Error().stack).toMatch(FRAME);
  });

  test('of a failure inside EOV is captured', () => {
    const { judgeRequest } = create();
    const broken = {
      get limit(): number {
        throw new TypeError('a getter fails');
      },
    };
    const { cause } = catchError(() => {
      judgeRequest(query, { query: broken });
    });
    expect((cause as Error).stack).toMatch(FRAME);
  });

  test('of an error that refuses credentials is not captured, and that of the next error is', async () => {
    const answers: unknown[] = [];
    const eov = {
      middleware: (options: Parameters<typeof OpenApiValidator.middleware>[0]) => {
        const secure = OpenApiValidator.middleware(options).find(({ name }) => name === 'securityMiddleware');
        return [
          function securityMiddleware(request: never, response: never, next: (error: unknown) => void) {
            secure?.(request, response, (error: unknown) => {
              answers.push(error);
              next(error);
            });
          },
        ];
      },
    } as unknown as typeof OpenApiValidator;
    const components = { securitySchemes: { bearerAuth: { type: 'http', scheme: 'bearer' } } };
    const { createIsSecure } = createValidator(eov, { ...DOCUMENT, components }, []);
    const isSecure = createIsSecure([{ bearerAuth: [] }]);
    const headers = { authorization: 'Bearer wrong' };
    for (const isValid of [() => false, () => Promise.resolve(false)])
      await expect(isSecure({ headers, query: {}, cookies: {}, isValid })).resolves.toBe(false);
    expect(answers).toMatchObject([{ status: 401 }, { status: 401 }]);
    for (const { stack } of answers as Error[]) expect(stack).not.toMatch(FRAME);
    expect(new Error().stack).toMatch(FRAME);
  });
});

test('an error that is not about the size of a message is not hidden by the look for all wrong fields', () => {
  const one = toMessage({ a: WORD });
  const { findFaults } = createFor(one);
  const broken = {
    get a(): string {
      throw new TypeError('a getter fails');
    },
  };
  expect(() => findFaults(one, broken, [])).toThrow('a getter fails');
});

const INTEGER = { type: 'integer' };
const STRING = { type: 'string' };
const BOOLEAN = { type: 'boolean' };
const PATTERN = { type: 'string', maxLength: 2, pattern: 'b' };
const NOT_PATTERN = { not: { ...PATTERN, minLength: 1 } };
const DATE = { type: 'string', format: 'date' };
const UNMATCHED = { anyOf: [{ type: 'object', required: ['b', 'c'] }, WORD] };
const NESTED = { oneOf: [{ anyOf: [INTEGER, BOOLEAN] }, BOOLEAN] };

describe.each(['3.0.3', '3.1.0'])('a function that goes on after a wrong field tells, OpenAPI %s', (openapi) => {
  test.each<[string, Readonly<Record<string, object>>, object, string[]]>([
    ['nothing of what is right', { a: INTEGER }, { a: 1 }, []],
    ['several fields', { a: INTEGER, b: INTEGER }, { a: '', b: '' }, ['type /a', 'type /b']],
    ['a pattern within maxLength', { a: PATTERN }, { a: 'aa' }, ['pattern /a']],
    // Of four code units, and two characters.
    ['a pattern of astral text', { a: PATTERN }, { a: '🌹🌹' }, ['pattern /a']],
    ['no pattern beyond maxLength', { a: PATTERN }, { a: 'aaaaa' }, ['maxLength /a']],
    ['no format beyond maxLength', { a: { ...DATE, maxLength: 2 } }, { a: 'aaaaa' }, ['maxLength /a']],
    ['a format', { a: DATE }, { a: 'aaaaa' }, ['format /a']],
    ['uniqueItems', { a: { uniqueItems: true } }, { a: [1, 1] }, ['uniqueItems /a']],
    ['that no alternative matches', { a: UNMATCHED, d: STRING }, { a: 'long', d: 1 }, ['anyOf /a', 'type /d']],
    ['alternatives inside alternatives', { a: NESTED }, { a: '' }, ['oneOf /a']],
    ['several alternatives that match', { a: { oneOf: [INTEGER, {}] } }, { a: 1 }, ['oneOf /a']],
    ['nothing of one alternative that matches', { a: { oneOf: [INTEGER, STRING] } }, { a: 1 }, []],
    ['alternatives below not', { a: { not: { anyOf: [INTEGER, STRING] } } }, { a: 1 }, ['not /a']],
    ['a pattern below not', { a: NOT_PATTERN }, { a: 'b' }, ['not /a']],
    ['nothing of no such pattern', { a: NOT_PATTERN }, { a: 'aaaaa' }, []],
    ['nothing of no such alternative', { a: { not: { oneOf: [INTEGER, STRING] } } }, { a: true }, []],
  ])('%s', (_, properties, value, expected) => {
    const message = toMessage(properties);
    const validator = createValidator(OpenApiValidator, { ...DOCUMENT, openapi }, [
      { requests: [message], replies: [] },
    ]);
    const found = validator.findFaults(message, value, []);
    expect(found.map(({ rule, pointer }) => `${rule} ${pointer}`)).toEqual(expected);
  });
});

/** How often the members of a value are listed, and the verdict on it. */
function countLooks(schema: object): [looks: number, isValid: unknown] {
  const ajv = new Ajv2020({ strict: false });
  const judgeOnce = addKeywords(ajv);
  let looks = 0;
  const value = new Proxy({ a: 199 }, { ownKeys: (target) => ((looks += 1), Reflect.ownKeys(target)) });
  const validate = ajv.compile(schema);
  const isValid: unknown = judgeOnce(() => validate(value));
  return [looks, isValid];
}

const OBJECTS = Array.from({ length: 200 }, (_, a) => ({ a }));

test.each([
  ['an enum of 200 objects', { enum: OBJECTS }, 1],
  [
    '30 patterns',
    { patternProperties: Object.fromEntries(OBJECTS.slice(0, 30).map(({ a }) => [`^b${String(a)}`, { minimum: 0 }])) },
    1,
  ],
])('a value is looked at once for %s', (_what, schema, looks) => {
  expect(countLooks(schema)).toEqual([looks, true]);
});

test('of a list that contains nothing that matches, the list is told, and not each item', () => {
  const ajv = new Ajv2020({ strict: false, allErrors: true });
  addKeywords(ajv);
  const validate = ajv.compile({ contains: { type: 'string', minLength: 5 } });
  expect(validate([1, 2, 'a'])).toBe(false);
  expect(validate.errors?.map(({ keyword }) => keyword)).toEqual(['contains']);
});
