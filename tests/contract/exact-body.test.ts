import { readExactBody } from '../../src/contract/exact-body';
import { loadText } from '../load-text';
import { NOTES } from '../serve-notes';

test('a body that is deeper than the stack is the fault of the request', () => {
  const shapes = loadText(NOTES).operations.flatMap(({ body }) => body?.shape ?? []);
  let body: unknown = {};
  for (let depth = 0; depth < 100_000; depth++) body = { below: [body] };
  expect(shapes).toHaveLength(2);
  for (const shape of shapes) {
    expect(() => readExactBody(shape, body, undefined)).toThrow('the request body is nested too deeply');
  }
});
