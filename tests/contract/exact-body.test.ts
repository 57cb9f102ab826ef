import { readExactBody } from '../../src/contract/exact-body';
import { loadText } from '../load-text';
import { NOTES } from '../serve-notes';

test('a body that is deeper than the stack is the fault of the request', () => {
  const shapes = loadText(NOTES).operations.flatMap(({ body }) => body?.shape ?? []);
  let body: unknown = {};
  for (let depth = 0; depth < 100_000; depth++) body = { below: [body] };
  expect(shapes).toHaveLength(2);
  for (const shape of shapes) {
    expect(() => readExactBody(shape, body, () => undefined)).toThrow('the request body is nested too deeply');
  }
});

test('a body that holds no int64 is not read a second time', () => {
  const shape = { isInt64: false, holdsInt64: false, properties: new Map(), items: undefined, isOpen: true };
  const body = { a: 1.5 };
  const tokens = (): never => {
    throw new Error('read again');
  };
  expect(readExactBody(shape, body, tokens)).toBe(body);
});
