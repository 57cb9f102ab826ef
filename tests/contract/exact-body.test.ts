import { readExactly } from '../../src/contract/exact-body';
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

test('a double is taken for what it is where nothing else was written', () => {
  const [, { body } = {} as Operation] = loadText(NOTES).operations;
  const [media] = body?.media.values() ?? [];
  const request = { body: { numbers: [1, -0, 2 ** 53], number: null } };
  expect(media && readExactly(media.shape, request, undefined)).toEqual({
    body: { numbers: [1n, 0n, 2n ** 53n], number: null },
  });
});

test('a request that holds no int64 stays as it is', () => {
  const [{ bare } = {} as Operation] = loadText(NOTES).operations;
  const request = { body: { a: 1.5 } };
  expect(bare && readExactly(bare.shape, request, undefined)).toBe(request);
});
