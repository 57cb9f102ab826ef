import { createSuite } from '../src';
import { judge } from '../src/oracle/judge';
import type { Header } from '../src/wire/request';

const CONTRACT = `openapi: 3.1.0
info: { title: Cookies, version: 1.0.0 }
paths:
  /a:
    get:
      operationId: a
      responses:
        '204':
          description: Done.
          headers:
            set-cookie: { required: true, schema: { type: array, minItems: 2, items: { type: string, pattern: '^[ab]=' } } }
`;

const suite = createSuite(CONTRACT, { bodyLimit: 1024, marker: 'abc', level: 'robust' });
const [getA] = suite.cases.filter(({ expect: wanted }) => wanted === 'accepted');

test.each([
  [['a=1; Expires=Wed, 21 Oct 2026 07:28:00 GMT', 'b=2'], []],
  [['a=1'], ['has fewer items than 2']],
  [['a=1', 'c=2'], ['/1 does not match']],
  [[], ['is missing']],
])('each header Set-Cookie is an item of a list that the contract declares: %j', (cookies, texts) => {
  if (!getA) throw new Error('there is no case');
  const headers = cookies.map((cookie): Header => ['set-cookie', cookie]);
  const found = judge(suite.oracleFor({}), getA, { status: 204, headers, body: Buffer.alloc(0) });
  expect(found.map(({ text }) => text)).toEqual(texts.map((text) => expect.stringContaining(text) as string));
});
