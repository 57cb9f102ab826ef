import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { checkGaps, createSuite, describeGaps, type Suite } from '../src';
import { readAccepted } from '../src/gate/accepted';
import { nameOf, type Part } from '../src/gate/find-gaps';
import { groupGaps } from '../src/gate/group-gaps';
import { toMatcher } from '../src/gate/pattern';
import { readOptions } from '../src/options';
import type { Item } from '../src/report/item';

const CONTRACT = `
openapi: 3.1.0
info: { title: Pets, version: 1.0.0 }
paths:
  /pets/{id}:
    parameters: [{ name: id, in: path, required: true, schema: { type: integer } }]
    get: { operationId: getPet, responses: { '200': { $ref: '#/components/responses/Pet' }, '404': { $ref: '#/components/responses/Problem' }, '500': { $ref: '#/components/responses/Problem' } } }
    delete: { operationId: deletePet, responses: { '204': { description: Gone. }, '404': { $ref: '#/components/responses/Problem' }, '500': { $ref: '#/components/responses/Problem' } } }
components:
  responses:
    Pet:
      description: A pet.
      headers: { ETag: { schema: { type: string } } }
      content: { application/json: { schema: { type: object, required: [id], properties: { id: { type: integer }, name: { type: string } } } } }
    Problem:
      description: What is wrong.
      headers: { X-Hint: { schema: { type: string } } }
      content: { application/json: { schema: { type: object, required: [code], properties: { code: { type: integer }, detail: { type: string } } } } }
`;

const suite = createSuite(CONTRACT, { bodyLimit: 1_000, mark: 'gate' });
const declared = suite.coverage.list();

/** The suite after cases that produced what is wanted. */
function after(isProduced: (item: Item) => boolean): Suite {
  const list = (): Item[] => declared.map((item) => ({ ...item, count: isProduced(item) ? 1 : 0 }));
  return { ...suite, coverage: { ...suite.coverage, list } };
}

/** Whether something is, or belongs to, a reply of one of these statuses. */
function isOf(...statuses: string[]): (item: Item) => boolean {
  return ({ places }) => places.some(({ status }) => status === undefined || statuses.includes(status));
}

/** What is not accepted, by patterns. */
function freshOf(...args: Parameters<typeof checkGaps>): string[] {
  return checkGaps(...args).groups.map(({ pattern }) => pattern);
}

const folder = mkdtempSync(join(tmpdir(), 'gate-'));
const file = join(folder, 'of-a-team', 'accepted-gaps.yaml');
afterAll(() => {
  rmSync(folder, { recursive: true });
});

describe('a pattern', () => {
  const part: Part = {
    ...{ operation: 'GET /pets/{id}', status: '503', kind: 'reply property', name: 'application/json name, absent' },
  };
  test.each([
    ['GET /pets/{id} 503 reply property application/json name, absent', true],
    ['GET /pets/{id} 5XX **', true],
    ['* * 5XX **', true],
    ['* /pets/* 503 reply property **, absent', true],
    ['**', true],
    ['GET /pets/{id} 4XX **', false],
    ['GET * 503 reply *', false],
    ['GET /pets/{id} 50 **', false],
    ['GET /pets/.id. **', false],
    ['GET /pets/{id}', false],
  ])('%s', (pattern, isNamed) => {
    expect(toMatcher(pattern)(part)).toBe(isNamed);
  });

  test('a range of statuses that the contract declares is one of its class', () => {
    expect(toMatcher('* * 5XX **')({ ...part, status: '5XX' })).toBe(true);
  });
});

describe('the patterns of gaps', () => {
  const reply = (operation: string, status: string): Part => ({ operation, status, kind: 'reply', name: 'text/plain' });
  const rule = (name: string): Part => ({ operation: 'PUT /a', status: undefined, kind: 'rule', name });
  const produced = [reply('GET /a', '200'), rule('#/a maxLength, outside')];

  test.each([
    ['of one class of statuses', [reply('GET /a', '500'), reply('PUT /a', '503')], ['* /a 5XX reply text/plain']],
    ['of one path', [reply('GET /a', '412'), reply('PUT /a', '412')], ['* /a 412 reply text/plain']],
    ['of one side', [rule('#/a minLength, inside'), rule('#/a type, inside')], ['PUT /a rule #/a **, inside']],
    ['of several places', [rule('#/a minLength, inside'), rule('#/b type, inside')], ['PUT /a rule **, inside']],
    [
      'with nothing in common',
      [reply('PUT /b', '200'), rule('#/b type, inside')],
      ['PUT /a rule #/b type, inside', 'PUT /b 200 reply text/plain'],
    ],
    [
      'with two reasons',
      [reply('GET /a', '404'), reply('GET /a', '500')],
      ['GET /a 404 reply text/plain', 'GET /a 500 reply text/plain'],
    ],
    ['of the whole contract', [{ ...rule('40001 A'), kind: 'error', operation: '' } as const], ['error 40001 A']],
  ])('%s are as few and as narrow as they can be', (_what, gaps, patterns) => {
    expect(groupGaps({ gaps, produced }).map(({ pattern }) => pattern)).toEqual(patterns);
  });

  test('name all gaps, and nothing that was produced', () => {
    for (let step = 1; step < 8; step++) {
      const parts = declared.flatMap(({ kind, places }) =>
        places.map(({ status, name }) => ({ operation: 'GET /pets/{id}', status, kind, name })),
      );
      const gaps = parts.filter((_part, index) => index % step === 0);
      const others = parts.filter((part) => !gaps.some((gap) => nameOf(gap) === nameOf(part)));
      const matchers = groupGaps({ gaps, produced: others }).map(({ pattern }) => toMatcher(pattern));
      expect(gaps.filter((gap) => !matchers.some((names) => names(gap)))).toEqual([]);
      expect(others.filter((part) => matchers.some((names) => names(part)))).toEqual([]);
    }
  });
});

describe('what no case produced', () => {
  test('is nothing where cases produced everything but optional parts of errors', () => {
    const result = checkGaps(
      after(({ places }) => places.some(({ status, isOptional }) => status === '200' || !isOptional)),
    );
    expect(result.groups).toEqual([]);
    expect(describeGaps(result)).toMatch(/^Cases should produce \d+ things that the contract declares, and did$/);
  });

  test('is a reply, not all that it would have shown', () => {
    expect(freshOf(after(isOf('200', '404')))).toEqual([
      '* /pets/{id} 500 reply application/json',
      'DELETE /pets/{id} 204 reply without a body',
    ]);
  });

  test('is an optional part of a success, once', () => {
    const lacks = /name, (?:present|of)|etag, absent/;
    expect(freshOf(after(({ name }) => !lacks.test(name)))).toEqual([
      'GET /pets/{id} 200 reply property application/json name, present',
      'GET /pets/{id} 200 reply shape header etag, absent',
    ]);
  });

  test('is told of by patterns, or one by one', () => {
    const result = checkGaps(after(isOf('200')));
    const [summary = '', ...rows] = describeGaps(result).split('\n');
    expect(summary).toMatch(
      /^Cases should produce \d+ things that the contract declares, and did not produce 5 of them$/,
    );
    expect(rows).toEqual([
      '    2  * /pets/{id} 404 reply application/json     such as GET /pets/{id} 404 reply application/json',
      '    2  * /pets/{id} 500 reply application/json     such as GET /pets/{id} 500 reply application/json',
      '    1  DELETE /pets/{id} 204 reply without a body',
    ]);
    expect(describeGaps(result, true).split('\n').slice(1, 4)).toEqual([
      '    2  * /pets/{id} 404 reply application/json',
      '         GET /pets/{id} 404 reply application/json',
      '         DELETE /pets/{id} 404 reply application/json',
    ]);
  });

  test('needs no handler that is not built', () => {
    expect(
      freshOf(
        after(({ name }) => name.endsWith(', outside')),
        { unbuilt: new Set(['getPet', 'deletePet']) },
      ),
    ).toEqual([]);
  });
});

describe('the file of a team', () => {
  test('is written with reasons, accepts what it has, and says what is gone', () => {
    const few = after(isOf('200'));
    expect(freshOf(few, { file }).length).toBeGreaterThan(0);
    expect(freshOf(few, { file, isAccepting: true })).toEqual([]);
    expect(readAccepted(readFileSync(file, 'utf8'), file)).toEqual([
      { pattern: '* /pets/{id} 404 reply application/json', reason: expect.stringMatching(/^TODO: /) as string },
      {
        pattern: '* /pets/{id} 500 reply application/json',
        reason: "the server's own failure: not produced from outside",
      },
      { pattern: 'DELETE /pets/{id} 204 reply without a body', reason: expect.stringMatching(/^TODO: /) as string },
    ]);
    expect(describeGaps(checkGaps(few, { file })).split('\n')).toEqual([
      expect.stringMatching(new RegExp(`and did not produce 5 of them, which ${file} accepts$`)),
      `Reasons that are still to be written in ${file}: 2`,
    ]);

    const more = after(isOf('200', '204', '404', '500'));
    const result = checkGaps(more, { file });
    expect(result.gone).toHaveLength(3);
    expect(describeGaps(result).split('\n')).toContain(
      `No gap any more, so that ${file} need not have it: DELETE /pets/{id} 204 reply without a body`,
    );
    expect(result.groups).toEqual([]);
  });

  test('keeps its reasons, and fails what is new', () => {
    writeFileSync(file, "- { pattern: '* * 404 **', reason: ours }\n- { pattern: '* * 409 **', reason: old }\n");
    const few = after(isOf('200'));
    expect(freshOf(few, { file })).toContain('* /pets/{id} 500 reply application/json');
    checkGaps(few, { file, isAccepting: true });
    const accepted = readAccepted(readFileSync(file, 'utf8'), file);
    expect(accepted[0]).toEqual({ pattern: '* * 404 **', reason: 'ours' });
    expect(accepted.map(({ pattern }) => pattern)).not.toContain('* * 409 **');
  });

  test.each([
    ['a: b', 'it is not a list of patterns'],
    ['- GET **', 'number 1 is not a pattern and a reason, both of them texts'],
    ["- { pattern: 'GET **' }", 'number 1'],
    ["- { pattern: 'GET **', reason: '' }", 'number 1'],
    ['- { pattern: *, reason: so }', 'it is not YAML: '],
    ["- { pattern: 'GET **', reason: so, until: 2030 }", 'number 1'],
  ])('%s is a mistake', (text, message) => {
    expect(() => readAccepted(text, 'it')).toThrow(message);
  });

  test('need not be there, and may be empty', () => {
    expect(readAccepted('', 'it')).toEqual([]);
    expect(checkGaps(suite, { file: join(folder, 'none.yaml') }).known).toBe(0);
  });
});

test.each([
  [['--accept'], '--accept needs the file of --gate'],
  [['--gate', 'a.yaml', '--only', 'positive'], '--gate needs all cases'],
  [['--gate', 'a.yaml', '--sample', '3'], '--gate needs all cases'],
])('%j is a mistake', (args, message) => {
  expect(() => readOptions(['--url', 'http://127.0.0.1', ...args])).toThrow(message);
});
