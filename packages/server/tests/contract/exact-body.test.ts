import { createRequestCheck } from '../../src/request/check-request';
import type { Groups, Message } from '../../src/contract/operation/message';
import type { Operation } from '../../src/contract/operation/operation';
import { loadText } from '../../../../tests/support/load-text';
import { contractWith } from '../../../../tests/support/serve-operation';
import { NOTES } from '../../../../tests/support/serve-text';

/** What the handler gets of a request that a validator without rules lets pass. */
function toInput(message: Message, value: Groups): object {
  const check = createRequestCheck({ assertRequest: () => undefined, findFaults: () => [] }, 'drop');
  return check({ message, value, literals: {}, unlisted: [] });
}

test('a body that is deeper than the stack is the fault of the request', () => {
  const media = loadText(NOTES).operations.flatMap(({ body }) => [...(body?.media.values() ?? [])]);
  let body: unknown = {};
  for (let depth = 0; depth < 100_000; depth++) body = { below: [body] };
  expect(media).toHaveLength(2);
  for (const declared of media) {
    expect(() => toInput(declared, { body })).toThrow('the request body is nested too deeply');
  }
});

test('no other error is taken for the depth', () => {
  const [, { body } = {} as Operation] = loadText(NOTES).operations;
  const [media] = body?.media.values() ?? [];
  const failure = new Error('of a getter');
  const request = {
    get body(): unknown {
      throw failure;
    },
  };
  expect(() => media && toInput(media, request)).toThrow(failure);
});

test('a double is taken for what it is where nothing else was written', () => {
  const [, { body } = {} as Operation] = loadText(NOTES).operations;
  const [media] = body?.media.values() ?? [];
  const request = { body: { numbers: [1, -0, 2 ** 53], number: null } };
  expect(media && toInput(media, request)).toEqual({ body: { numbers: [1n, 0n, 2n ** 53n], number: null } });
});

/** What a handler gets of a body under a schema. */
function toHandler(schema: string, body: unknown): unknown {
  const [{ body: declared } = {} as Operation] = loadText(contractWith({ body: schema })).operations;
  const [media] = declared?.media.values() ?? [];
  return media && (toInput(media, { body }) as { body: unknown }).body;
}

const ALTERNATIVES = '{ anyOf: [{ properties: { a: {} } }, { properties: { b: {} } }] }';
const DEEP = '{ properties: { a: { items: { properties: { b: {} } } } } }';

test.each<[string, string, unknown, unknown]>([
  ['an undeclared property', '{ properties: { a: {} } }', { a: 1, b: 2 }, { a: 1 }],
  ['one further down, and in a list', DEEP, { a: [{ b: 1, c: 2 }, 3] }, { a: [{ b: 1 }, 3] }],
  ['one beside alternatives', ALTERNATIVES, { a: 1, b: 2, c: 3 }, { a: 1, b: 2 }],
])('a handler does not get %s', (_, schema, body, expected) => {
  expect(toHandler(schema, body)).toEqual(expected);
});

test.each<[string, unknown]>([
  ['{ properties: { a: {} }, additionalProperties: true }', { a: 1, b: { c: 2 } }],
  ['{ properties: { a: {} }, additionalProperties: { type: string } }', { a: 1, b: 'c' }],
  ['{ type: object }', { a: { b: 1 } }],
  ['{}', [{ a: 1 }, 'b', null]],
])('a handler gets everything where the schema says %s', (schema, body) => {
  expect(toHandler(schema, structuredClone(body))).toEqual(body);
});

test('a declared property that was not sent is not there, whatever objects inherit', () => {
  expect(toHandler('{ properties: { toString: {}, a: {} } }', { a: 1, constructor: 2 })).toEqual({ a: 1 });
});

test('a property with the name of the prototype is one like all others', () => {
  const body = toHandler('{ properties: { a: {} } }', JSON.parse('{"a":1,"__proto__":{"b":2}}')) as object;
  expect(Object.getPrototypeOf(body)).toBe(Object.prototype);
  expect(body).not.toHaveProperty('b');
});
