import { execFileSync } from 'node:child_process';
import { globSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseYaml, type Document } from '@contract-kit/contract';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { checkContract } from '../src/check/check-contract';
import { createPatternJudge, findSlowPatterns } from '../src/check/patterns';

function documentOf(path: object, schemas: Readonly<Record<string, unknown>> = {}): Document {
  return { openapi: '3.1.0', info: { title: 'A', version: '1.0.0' }, paths: { '/a': path }, components: { schemas } };
}

// Without an end by the clock: in tests, steps alone count.
const PATIENCE = { perPattern: 300_000, perContract: 300_000 };
const patient = createPatternJudge(PATIENCE);

/** The advice for a body with this schema. */
function adviceFor(schema: object): string[] {
  const requestBody = { content: { 'application/json': { schema } } };
  return findSlowPatterns(documentOf({ post: { requestBody } }), patient).map(({ message }) => message);
}

test.each([
  '(x+x+)+y',
  '^\u{1f339}\u{1f331}(a+)+"$',
  '^\\-(a+)+$',
  // It has a lookahead or a large repeat: recheck tries texts.
  '^(?=.*\\d)(a+)+$',
  '^([a-z]{1,60}){1,60}$',
])('the exponential pattern %s gets advice with a slow input, whatever the maxLength', (pattern) => {
  expect(adviceFor({ type: 'string', pattern, maxLength: 40 })).toEqual([
    expect.stringMatching(
      /^this pattern takes exponential time for input such as .*'\.repeat\(\d+\).*; start it with \^ .*$/,
    ),
  ]);
});

test.each(['\\s+$', '^\\S+@\\S+\\.\\S+$', '^a*b*a*b*a*b*a*$'])(
  'the polynomial pattern %s gets advice, unless its maxLength makes it harmless',
  (pattern) => {
    const advice = [
      expect.stringMatching(/^this pattern takes polynomial time .*; add a maxLength of at most 100, or start/),
    ];
    expect(adviceFor({ pattern, maxLength: 101 })).toEqual(advice);
    expect(adviceFor({ pattern, maxLength: 100 })).toEqual([]);
    // It limits strings, but not the names of properties.
    expect(adviceFor({ patternProperties: { [pattern]: {} }, maxLength: 100 })).toEqual([
      expect.stringMatching(/; start/),
    ]);
  },
);

test('no maxLength makes a pattern of a higher degree harmless', () => {
  expect(adviceFor({ pattern: '^a*a*a*a*a*$', maxLength: 1 })).toEqual([expect.stringMatching(/; start it/)]);
});

test.each([
  '^[^\\u0000]*$',
  '^\\d{4}-\\d{2}-\\d{2}$',
  '^[0-9a-f]{8}-[0-9a-f]{4}-[1-5][0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$',
  '^[\\w.+-]+@[\\w-]+\\.[a-z]{2,}$',
  '^[a-z0-9]+(?:-[a-z0-9]+)*$',
  '^[A-Za-z0-9_-]{1,255}$',
  '^\\S(.*\\S)?$',
  '^(?!admin)[a-z]*$',
  '^(?<!a)b$',
  '^(?<a>x)\\k<a>$',
  '^a\\-b$',
  '',
])('the pattern %s is fast, and gets no advice without a maxLength', (pattern) => {
  expect(adviceFor({ type: 'string', pattern, patternProperties: { [pattern]: {} } })).toEqual([]);
});

test('a pattern that recheck cannot read gets advice to write a simpler one', () => {
  expect(adviceFor({ pattern: '^(([a-z]+)\\1?)+$' })).toEqual([
    'this pattern is too complex to tell in time whether it backtracks; write a simpler one',
  ]);
});

test('a pattern is judged once, and not at all when the time for it or for its contract is over', () => {
  const slow = '(?:(?:\\p{L}{1,1000}){1,1000}){1,1000}\\P{L}$';
  expect(createPatternJudge({ perPattern: 1, perContract: 20_000 })(slow, 'u')).toBeUndefined();
  const judge = createPatternJudge({ perPattern: 300_000, perContract: 1 });
  expect([judge(slow, 'u'), judge('^(a+)+$', 'u')]).toEqual([undefined, undefined]);
  expect(patient('^(a+)+$', 'u')).toBe(patient('^(a+)+$', 'u'));
});

test('patterns are judged without a process, a worker or native code, whatever the environment asks recheck for', () => {
  const code = `const { createPatternJudge } = require('./packages/tools/src/check/patterns.ts');
    console.log(createPatternJudge(${JSON.stringify(PATIENCE)})('^(a+)+$', 'u').complexity.type);`;
  const options = ['--permission', '--allow-fs-read=*', '--conditions=source'];
  const args = [...options, '--require', 'ts-node/register/transpile-only', '--eval', code];
  const env = { ...process.env, RECHECK_BACKEND: 'native', RECHECK_SYNC_BACKEND: 'synckit' };
  expect(execFileSync(process.execPath, args, { env, encoding: 'utf8' })).toBe('exponential\n');
});

test('advice is given for what clients send: for all parameters and bodies, and not for replies or callbacks', () => {
  const slow = (minLength: number): { schema: object } => ({
    schema: { type: 'string', pattern: '(a+)+$', minLength },
  });
  const content = (minLength: number): object => ({ content: { 'text/plain': slow(minLength) } });
  const post = {
    parameters: [{ $ref: '#/components/parameters/B' }, { name: 'c', in: 'query', ...content(3) }],
    requestBody: { $ref: '#/components/requestBodies/D' },
    responses: { 200: { ...content(5), headers: { E: slow(6) } } },
    callbacks: { done: { '{$request.query.url}': { post: { requestBody: content(7) } } } },
  };
  const document = {
    ...documentOf({ $ref: '#/components/pathItems/A' }, { Unused: { pattern: '(a+)+$' } }),
    components: {
      pathItems: {
        A: { parameters: [{ name: 'a', in: 'query', ...slow(1) }], post, 'x-get': { requestBody: content(8) } },
      },
      parameters: { B: { name: 'b', in: 'header', ...slow(2) } },
      requestBodies: { D: content(4) },
    },
  };
  const found = findSlowPatterns(document as unknown as Document).map(({ node }) => node);
  expect(found).toEqual([1, 2, 3, 4].map((minLength) => slow(minLength).schema));
});

const folder = useFolder();

test('a pattern that many parameters share is reported in one line, with its places', async () => {
  const file = join(folder, 'openapi.yaml');
  const parameters = Array.from({ length: 100 }, (_, index) => {
    return `{ schema: { type: string, pattern: '(a+)+$' }, in: query, name: x${String(index)} }`;
  });
  writeFileSync(join(folder, 'redocly.yaml'), 'rules: {}\n');
  writeFileSync(
    file,
    `openapi: 3.1.0
info: { title: A, version: 1.0.0 }
paths:
  /a:
    get:
      operationId: a
      responses: { '200': { description: A. } }
      parameters:
        - ${parameters.join('\n        - ')}
`,
  );
  const { errors, advice } = await checkContract(file, join(folder, 'contracts'));
  expect(errors).toEqual([]);
  expect(advice).toEqual([
    expect.stringMatching(
      /openapi\.yaml:9:37 this pattern takes .* \(100 times, also at 10:37, 11:37, 12:37, \.\.\.\)$/,
    ),
  ]);
});

test.each(
  globSync(
    '{examples/nursery/openapi,packages/test-support/plants/openapi,packages/test-support/fixtures/{*,contracts/*,errors/*}}.yaml',
  ),
)('%s gets no advice about the cost of requests', (file) => {
  const document = parseYaml(readFileSync(file, 'utf8'), file) as Document;
  expect(findSlowPatterns(document, patient)).toEqual([]);
});
