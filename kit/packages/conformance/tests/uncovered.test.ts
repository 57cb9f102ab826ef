import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { checkCoverage, createSuite, describeCoverage, type Item, type Level, type Suite } from '../src';
import { readOptions } from '../src/cli/options';
import { loadAccepted } from '../src/report/uncovered';
import { useFolder } from '@contract-kit/test-support/use-folder';

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
      content: { application/json: { schema: { type: object, properties: { id: { type: integer } } } } }
    Problem:
      description: What is wrong.
      content: { application/json: { schema: { type: object, properties: { code: { type: integer } } } } }
`;

const suite = createSuite(CONTRACT, { marker: 'gaps' });
const declared = suite.coverage.list();

/** The suite after cases that produced what is wanted. */
function after(isProduced: (item: Item) => boolean): Suite {
  const list = (): Item[] => declared.map((item) => ({ ...item, count: isProduced(item) ? 1 : 0 }));
  return { ...suite, coverage: { ...suite.coverage, list } };
}

/** Whether an item is one of these responses, or not a response at all. */
function isOf(...responses: string[]): (item: Item) => boolean {
  return ({ operation, name }) =>
    !name.includes(' response ') || responses.some((response) => `${operation} ${name}`.includes(response));
}

/** What is not accepted, by patterns. */
function freshOf(...args: Parameters<typeof checkCoverage>): string[] {
  return checkCoverage(...args).groups.map(({ pattern }) => pattern);
}

const folder = useFolder();
const file = join(folder, 'of-a-team', 'accepted-gaps.yaml');

describe('a pattern', () => {
  test.each([
    ['GET /pets/{id} 404 response application/json', 1],
    ['GET /pets/{id} 4XX **', 1],
    ['* * 404 **', 2],
    ['* /pets/* 404 response *', 2],
    ['**', 5],
    ['GET /pets/{id} 3XX **', 0],
    ['GET * 404 response', 0],
    ['GET /pets/{id} 40 **', 0],
    ['GET /pets/.id. **', 0],
    ['GET /pets/{id}', 0],
  ])('%s accepts %i of the gaps', (pattern, count) => {
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, `- { pattern: '${pattern}', reason: so }\n`);
    expect(checkCoverage(after(isOf('200')), { file }).acceptedCount).toBe(count);
    rmSync(file);
  });
});

describe('what no case produced', () => {
  test('is nothing where cases produced everything', () => {
    const result = checkCoverage(after(() => true));
    expect(result.groups).toEqual([]);
    expect(describeCoverage(result)).toMatch(/^Coverage: cases produced all of \d+ declared parts of the contract$/);
  });

  test('has one pattern for what several operations lack, and no operation has shown', () => {
    expect(freshOf(after(isOf('200', '404', 'getPet 500')))).toEqual([
      'DELETE /pets/{id} 204 response without a body',
      'DELETE /pets/{id} 500 response application/json',
    ]);
    expect(freshOf(after(isOf('200', '204', '404')))).toEqual(['* * 500 response application/json']);
  });

  test('has what only robust sends, such as 415, from that level on', () => {
    const contract = CONTRACT.replaceAll("'404':", "'415':");
    const namesAt = (level: Level): string[] => {
      const { coverage } = createSuite(contract, { marker: 'gaps', level });
      return coverage.list().flatMap(({ name }) => (name.includes('415') ? [name] : []));
    };
    expect(namesAt('contract')).toEqual([]);
    expect(new Set(namesAt('robust'))).toEqual(new Set(['415 response application/json']));
  });

  test('is told of by patterns, or one by one', () => {
    const result = checkCoverage(after(isOf('200')));
    const [summary = '', ...rows] = describeCoverage(result).split('\n');
    expect(summary).toMatch(/^Not covered: 5 of \d+ declared parts of the contract$/);
    expect(rows).toEqual([
      '    2  * * 404 response application/json  for example GET /pets/{id} 404 response application/json',
      '    2  * * 500 response application/json  for example GET /pets/{id} 500 response application/json',
      '    1  DELETE /pets/{id} 204 response without a body',
    ]);
    expect(describeCoverage(result, true).split('\n').slice(1, 4)).toEqual([
      '    2  * * 404 response application/json',
      '         GET /pets/{id} 404 response application/json',
      '         DELETE /pets/{id} 404 response application/json',
    ]);
  });

  test('needs no handler that is not built', () => {
    expect(
      freshOf(
        after(() => false),
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
    expect(loadAccepted(file)).toEqual([
      { pattern: '* * 404 response application/json', reason: expect.stringMatching(/^TODO: /) as string },
      {
        pattern: '* * 500 response application/json',
        reason: 'only a failure inside the server causes it, which a client cannot produce',
      },
      { pattern: 'DELETE /pets/{id} 204 response without a body', reason: expect.stringMatching(/^TODO: /) as string },
    ]);
    expect(describeCoverage(checkCoverage(few, { file })).split('\n')).toEqual([
      expect.stringMatching(
        new RegExp(`^Not covered: 3 of 8 declared parts of the contract; ${file} accepts another 2$`),
      ),
      '    2  * * 404 response application/json  for example GET /pets/{id} 404 response application/json',
      '    1  DELETE /pets/{id} 204 response without a body',
      `${file} still has 2 TODOs: write the reasons`,
    ]);
    writeFileSync(file, readFileSync(file, 'utf8').replaceAll('TODO', 'see'));
    expect(describeCoverage(checkCoverage(few, { file }))).toMatch(
      new RegExp(`of the contract; ${file} accepts the other 5$`),
    );

    const more = after(() => true);
    const result = checkCoverage(more, { file });
    expect(result.obsolete).toHaveLength(3);
    expect(describeCoverage(result).split('\n')).toContain(
      `No longer uncovered, so remove it from ${file}: DELETE /pets/{id} 204 response without a body`,
    );
    expect(result.groups).toEqual([]);
  });

  test('keeps its reasons, and fails what is new', () => {
    writeFileSync(file, "- { pattern: '* * 404 **', reason: ours }\n- { pattern: '* * 409 **', reason: old }\n");
    const few = after(isOf('200'));
    expect(freshOf(few, { file })).toContain('* * 500 response application/json');
    checkCoverage(few, { file, isAccepting: true });
    const accepted = loadAccepted(file);
    expect(accepted[0]).toEqual({ pattern: '* * 404 **', reason: 'ours' });
    expect(accepted.map(({ pattern }) => pattern)).not.toContain('* * 409 **');
  });

  test.each([
    ['a: b', ' must be a list of patterns'],
    ['- GET **', ': entry 1 must have exactly a pattern and a reason, both strings'],
    ["- { pattern: 'GET **' }", ': entry 1'],
    ["- { pattern: 'GET **', reason: '' }", ': entry 1'],
    ['- { pattern: *, reason: so }', ' is not YAML: '],
    ["- { pattern: 'GET **', reason: so, until: 2030 }", ': entry 1'],
  ])('%s is a mistake', (text, message) => {
    writeFileSync(file, text);
    expect(() => loadAccepted(file)).toThrow(`${file}${message}`);
  });

  test('need not be there, and may be empty', () => {
    writeFileSync(file, '');
    expect(loadAccepted(file)).toEqual([]);
    expect(checkCoverage(suite, { file: join(folder, 'none.yaml') }).acceptedCount).toBe(0);
  });
});

test.each([
  [['--accept'], '--accept needs --coverage FILE'],
  [['--coverage', 'a.yaml', '--only', 'positive'], '--coverage needs all cases'],
])('%j is a mistake', (args, message) => {
  expect(() => readOptions(['--url', 'http://127.0.0.1', ...args])).toThrow(message);
});
