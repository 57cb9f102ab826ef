import { toCurl } from '../../src/runtime/run-service';

const ADDRESSES = { url: 'http://localhost:3000', docs: undefined };

test.each([
  [undefined, "-H 'Authorization: Bearer secret'"],
  ["-H 'X-TOKEN: TOKEN'", "-H 'X-TOKEN: secret'"],
  ["-b 'TOKEN=TOKEN'", "-b 'TOKEN=secret'"],
])('the curl line with the credentials %s sends the token as %s', (credentials, sent) => {
  const example = { purpose: 'read', path: '/a', options: '-X GET', ...(credentials !== undefined && { credentials }) };
  expect(toCurl(example, ADDRESSES, 'secret')).toContain(`\ncurl -i http://localhost:3000/a ${sent} -X GET\n`);
});
