import { toCurl } from '../../src/runtime/curl-line';

const EXAMPLE = { purpose: 'create a lamp', path: '/lamps', options: '-d {}' };
const URL = 'http://127.0.0.1:3000/v1';

test('the line can be pasted, and the address of the page is below it', () => {
  expect(toCurl(EXAMPLE, { url: URL, docs: `${URL}/docs` }, 'a-token'))
    .toBe(`No token source is set, so this one counts until the server stops. To create a lamp:

curl -i http://127.0.0.1:3000/v1/lamps -H 'Authorization: Bearer a-token' -d {}

The documentation page: http://127.0.0.1:3000/v1/docs
`);
});

test('without a page there is no address of it', () => {
  expect(toCurl(EXAMPLE, { url: URL, docs: undefined }, 'a-token')).toMatch(/ -d \{\}\n$/);
});

test('a service says how its token is sent', () => {
  const withKey = { ...EXAMPLE, credentials: "-H 'X-Key: TOKEN'" };
  expect(toCurl(withKey, { url: URL, docs: undefined }, 'a-token')).toContain(" -H 'X-Key: a-token' -d {}");
});
