import { createServer, type IncomingMessage } from 'node:http';
import { text } from 'node:stream/consumers';
import { listenOnLoopback } from '../../../tests/support/listen-on-loopback';
import { createSuite, runSuite } from '../src';

const CONTRACT = `openapi: 3.1.0
info: { title: Empty, version: 1.0.0 }
paths:
  /optional: { put: { operationId: optional, requestBody: { content: { application/json: {} } }, responses: { '204': { description: Done. }, '400': { description: Wrong. }, '415': { description: Wrong. } } } }
  /required: { put: { operationId: required, requestBody: { required: true, content: { application/json: {} } }, responses: { '204': { description: Done. }, 4XX: { description: Wrong. } } } }
  /nothing: { post: { operationId: nothing, responses: { '204': { description: Done. }, 4XX: { description: Wrong. } } } }
  /any:
    put:
      operationId: any
      requestBody:
        required: true
        content:
          application/octet-stream: {}
          text/plain: { schema: { type: string } }
          text/csv: { schema: { type: string, minLength: 1 } }
          application/x-www-form-urlencoded: { schema: { type: object, properties: { a: { type: string } } } }
      responses: { '204': { description: Done. }, 4XX: { description: Wrong. } }
`;

const suite = createSuite(CONTRACT, { bodyLimit: 1024, marker: 'abc', level: 'robust' });
const isEmptyBody = (label: string): boolean => /no content|an empty body/.test(label);

test('an empty body is sent in both framings, where it is allowed and where no body is needed', () => {
  const sent = suite.cases.filter(({ class: kind, label }) => /positive|negative/.test(kind) && isEmptyBody(label));
  const framings = ['a Content-Length of 0', 'no chunks'];
  const toTitles = (start: string): string[] => framings.map((framing) => `${start}, ${framing}`);
  expect(sent.map(({ operation, expect: wanted, label }) => `${operation} ${wanted} ${label}`).toSorted()).toEqual(
    [
      ...toTitles('optional accepted no content'),
      ...toTitles('nothing accepted no content'),
      ...toTitles('any accepted application/octet-stream, an empty body'),
      ...toTitles('any accepted text/plain, an empty body'),
      ...toTitles('any accepted application/x-www-form-urlencoded, an empty body'),
      ...toTitles('required refused no content'),
      ...toTitles('required refused application/json, an empty body'),
    ].toSorted(),
  );
});

test('at the level contract, only a Content-Length of 0 without content is sent', () => {
  const { cases } = createSuite(CONTRACT, { bodyLimit: 1024, marker: 'abc', level: 'contract' });
  const labels = cases.map(({ label }) => label).filter((label) => /an empty body,|no content/.test(label));
  expect(new Set(labels)).toEqual(
    new Set(['no content, a Content-Length of 0', 'application/json, an empty body, a Content-Length of 0']),
  );
});

type Decide = (req: IncomingMessage, body: string) => boolean;

/** The labels of the cases with empty bodies in which a server is wrong that accepts what `isRight` does, but for `isWrong`. */
async function findWrong(isWrong: Decide): Promise<string[]> {
  const server = createServer((req, res) => {
    void text(req).then((body) => {
      const isRight = body !== '' || !req.url?.startsWith('/required');
      res.writeHead(isRight === isWrong(req, body) ? 400 : 204).end();
    });
  });
  await using listening = await listenOnLoopback(server);
  const options = {
    random: { runs: 0, seed: 1, isMarked: false },
    isWanted: ({ class: kind }: { readonly class: string }) => kind === 'positive' || kind === 'negative',
  };
  const wrong: string[] = [];
  for await (const {
    case: { label },
    findings,
  } of runSuite(suite, { base: listening.base, secrets: {}, timeout: 60_000 }, options))
    if (findings.length > 0 && isEmptyBody(label)) wrong.push(label);
  return wrong;
}

test.each<[string, Decide, RegExp]>([
  ['is right', () => false, /never/],
  [
    'refuses a body of no chunks',
    ({ headers }, body) => body === '' && headers['transfer-encoding'] !== undefined,
    /no chunks$/,
  ],
  ['refuses a Content-Length of 0', ({ headers }) => headers['content-length'] === '0', /a Content-Length of 0$/],
  [
    'refuses what has no Content-Type',
    ({ headers, url }) => headers['content-type'] === undefined && url !== '/required',
    /^no content/,
  ],
  [
    'takes an empty body for JSON',
    ({ url }, body) => body === '' && url === '/required',
    /^no content|application\/json/,
  ],
])('a server that %s is told so', async (_, isWrong, labels) => {
  const wrong = await findWrong(isWrong);
  expect(wrong.filter((label) => !labels.test(label))).toEqual([]);
  expect(wrong.length > 0).toBe(labels.source !== 'never');
});
