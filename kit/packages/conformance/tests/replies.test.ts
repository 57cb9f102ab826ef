import { createSuite, runSuite } from '../src';
import { contractOf } from './contract-of';
import { serveReplies } from './serve-books';
import { judge } from '../src/oracle/judge';
import type { Header } from '../src/wire/request';

const ERROR = 'description: Wrong., content: { application/json: { schema: { type: object } } }';
const TOOLS = `openapi: 3.1.0
info: { title: Tools, version: 1.0.0 }
paths:
  /tools/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer, minimum: 1 } }]
    get: { operationId: getTool, responses: { '204': { description: It is there. }, '400': { ${ERROR} } } }
`;

/** All findings, with the target of their requests, of a server that answers in plain text what it refuses. */
async function judgeStack(classes: readonly string[]): Promise<[target: string, check: string, text: string][]> {
  await using server = await serveReplies(({ method, url = '' }, res) => {
    const isRight = /^\/tools\/(?:[1-9]|%3[1-9])(?:\d|%3\d)*$/.test(url);
    if (isRight && method === 'GET') res.writeHead(204).end();
    else res.writeHead(isRight ? 405 : 400, { 'Content-Type': 'text/plain' }).end('400 Bad Request');
  });
  const suite = createSuite(TOOLS, { marker: 'mark' });
  const target = { base: server.base, secrets: {}, timeout: 10_000 };
  const isWanted = ({ class: name }: { class: string }): boolean => classes.includes(name);
  const findings: [string, string, string][] = [];
  for await (const result of runSuite(suite, target, { isWanted }))
    for (const { check, text } of result.findings) findings.push([result.case.request.target, check, text]);
  return findings;
}

test('an HTTP stack may refuse a malformed percent-encoding in its own media type, and a service no other value', async () => {
  const findings = await judgeStack(['parameter']);
  expect(findings.map(([target]) => target).filter((target) => /%(?![\da-f]{2})/i.test(target))).toEqual([]);
  expect(findings.map(([target]) => target)).toContain('/tools/0');
});

test('a body of an undeclared media type is one finding, not two', async () => {
  expect(new Set((await judgeStack(['parameter'])).map(([, check]) => check))).toEqual(new Set(['content-type']));
});

test('a missing Allow is one cause, whichever methods a path has', async () => {
  const texts = (await judgeStack(['method']))
    .filter(([, check]) => check === 'allow-header')
    .map(([, , text]) => text);
  expect(new Set(texts)).toEqual(new Set(['Allow, the list of the methods of the path, is missing']));
});

const COOKIES = "{ type: array, minItems: 2, items: { type: string, pattern: '^[ab]=' } }";
const DONE = `{ description: Done., headers: { set-cookie: { required: true, schema: ${COOKIES} } } }`;

const suite = createSuite(contractOf(`{ get: { responses: { '204': ${DONE} } } }`), { marker: 'abc', level: 'robust' });
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
