import crypto from 'node:crypto';
import { createTokenVerifier } from '../../src/auth/tokens';

test('each of the tokens counts, and nothing else', () => {
  const verify = createTokenVerifier(['one', 'two', 'three']);
  expect(['one', 'two', 'three'].map(verify)).toEqual([{}, {}, {}]);
  const others = ['', 'One', 'one ', 'on', 'onetwo', 'one,two', '\u0000', 'one\u0000', 'threeé', 'three3'];
  expect(others.filter(verify)).toEqual([]);
});

test('without a token nothing counts', () => {
  expect(createTokenVerifier([])('')).toBeUndefined();
});

describe('what one token costs', () => {
  afterEach(() => {
    jest.restoreAllMocks();
  });

  test.each([10, 100_000])('is one digest, with %d listed', (count) => {
    const verify = createTokenVerifier(Array.from({ length: count }, (_, n) => `token-${String(n)}`));
    const digests = jest.spyOn(crypto, 'hash');
    expect([verify('not-listed'), verify('token-9')]).toEqual([undefined, {}]);
    expect(digests.mock.calls).toHaveLength(2);
  });

  test('is one comparison, whatever it is, for as many characters as the one that was accepted last', () => {
    const verify = createTokenVerifier(['token-1', 'token-2']);
    verify('token-1');
    const digests = jest.spyOn(crypto, 'hash');
    const comparisons = jest.spyOn(crypto, 'timingSafeEqual');
    const found = ['token-1', 'token-2', 'token-1', 'xoken-1', 'tokenł1', 'other-one'].map(verify);
    expect(found).toEqual([{}, {}, {}, undefined, undefined, undefined]);
    expect([digests.mock.calls.length, comparisons.mock.calls.length]).toEqual([5, 5]);
  });
});

test('equal tokens have other digests in each verifier', () => {
  const digests = jest.spyOn(crypto, 'hash');
  for (const verify of [createTokenVerifier([]), createTokenVerifier([])]) verify('one');
  const [first, second] = digests.mock.results.map(({ value }) => value as string);
  expect(first).not.toBe(second);
  digests.mockRestore();
});
