import { readExactly } from '../../src/contract/exact-body';
import { parseExactJson } from '../../src/contract/exact-json';
import type { Operation } from '../../src/contract/operation';
import { loadText } from '../load-text';
import { NOTES } from '../serve-notes';

test('a body that is deeper than the stack is the fault of the request', () => {
  const shapes = loadText(NOTES).operations.flatMap(({ body }) => [...(body?.media.values() ?? [])]);
  let body: unknown = {};
  for (let depth = 0; depth < 100_000; depth++) body = { below: [body] };
  expect(shapes).toHaveLength(2);
  for (const { shape } of shapes) {
    expect(() => readExactly(shape, { body }, undefined)).toThrow('the request body is nested too deeply');
  }
});

test.each([
  ['[1,2.5]', [1, 2.5], ['1', '2.5']],
  ['[9.007199254740993e15]', [9007199254740992], ['9.007199254740993e15']],
  ['[1,-2]', [1, -2], undefined],
])('numbers are read as they were written where a double may not be exact: %s', (text, value, tokens) => {
  const json = parseExactJson(Buffer.from(text));
  expect([json.value, json.tokens()]).toEqual([value, tokens]);
});

test('a request that holds no int64 stays as it is', () => {
  const [{ bare } = {} as Operation] = loadText(NOTES).operations;
  const request = { body: { a: 1.5 } };
  expect(bare && readExactly(bare.shape, request, undefined)).toBe(request);
});
