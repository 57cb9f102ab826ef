import { createTokenVerifier } from '../../src/auth/token-verifier';

test('each of the tokens counts, and nothing else', () => {
  const verify = createTokenVerifier(['one', 'two', 'three']);
  expect(['one', 'two', 'three'].map(verify)).toEqual([{}, {}, {}]);
  expect(
    ['', 'One', 'one ', 'on', 'onetwo', 'one,two', '\u0000', 'one\u0000', 'threeé', 'three3'].filter(verify),
  ).toEqual([]);
});

test('without a token nothing counts', () => {
  expect(createTokenVerifier([])('')).toBeUndefined();
});
