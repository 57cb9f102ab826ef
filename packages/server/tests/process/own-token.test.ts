import { createOwnToken } from '../../src/runtime/token-settings';

const GIVEN = 'a-token_of-a-session'.padEnd(43, '0');

test('a token of its own, each time another', () => {
  expect(createOwnToken()).toMatch(/^[\w-]{43}$/);
  expect(createOwnToken()).not.toBe(createOwnToken());
});

test('that of a session, given by a parent', () => {
  expect(createOwnToken(GIVEN, true)).toBe(GIVEN);
});

test('what is only in the environment counts for nothing', () => {
  expect(createOwnToken(GIVEN, false)).not.toBe(GIVEN);
});

test.each(['', 'secret', GIVEN.slice(1), `${GIVEN}0`, GIVEN.replace('-', ' '), `${GIVEN}\n`])(
  'what this module did not make counts for nothing: %j',
  (given) => {
    expect(createOwnToken(given, true)).toMatch(/^[\w-]{43}$/);
    expect(createOwnToken(given, true)).not.toBe(given);
  },
);
