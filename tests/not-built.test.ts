import { isNotBuilt } from '../src/not-built';

test.each([
  [new Error('not built yet'), true],
  [new TypeError('not built yet'), true],
  [new Error('it is not built yet'), false],
  ['not built yet', false],
  [undefined, false],
])('%s: %s', (cause, expected) => {
  expect(isNotBuilt(cause)).toBe(expected);
});
