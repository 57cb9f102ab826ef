import {
  CHECKS,
  describeCause,
  describeOperation,
  describeUnbuilt,
  groupByCause,
  toJUnit,
  type Case,
  type CaseResult,
  type CheckName,
} from '../src';
import type { WireReply } from '../src/wire/reply';
import type { Run } from '../src/report/run';
import { withoutRests } from '../src/report/failure';
import { describeRun, toTable } from '../src/report/text';
import { runHostile, SECRET } from './run-hostile';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { applyBaseline } from '../src/report/baseline';
import { checkCoverage } from '../src/report/uncovered';
import { writeReport } from '../src/report/write-report';
import { createSuite } from '../src/suite';

let hostile: Run;
beforeAll(async () => {
  hostile = await runHostile();
});

test('a result keeps as much of a large reply as a report shows, in memory of its own and whole characters', () => {
  const reply = { status: 200, headers: [], body: Buffer.from(`a${'\u00e9'.repeat(100_000)}`) };
  const binary = { ...reply, body: Buffer.alloc(100_000, 0x80) };
  const small = { ...reply, body: Buffer.from('small') };
  const [replies = []] = hostile.failed.map(
    (result) => withoutRests({ ...result, replies: [reply, small, binary] }).replies,
  );
  expect(replies[0]?.body.toString()).toBe(`a${'\u00e9'.repeat(2 * 1024 - 1)}`);
  expect(replies[0]?.body.buffer.byteLength).toBeLessThan(10_000);
  expect(replies[1]).toEqual(small);
  expect(replies[2]?.body.length).toBeLessThan(10_000);
});

describe('the report for a terminal', () => {
  test('has the summary first and last, below each of ten causes a case as it was sent, and a line for each further cause', () => {
    const lines = describeRun(hostile, false).split('\n');
    expect(lines[0]).toMatch(/^\d+ of \d+ cases failed at level robust, for \d+ reasons$/);
    expect(lines.at(-1)).toBe(lines[0]);
    expect(lines.filter((line) => line.startsWith('  request: '))).toHaveLength(10);
    expect(lines.filter((line) => /^ {2}response: (?:HTTP\/1\.1 \d{3}\\r\\n|none)/.test(line))).toHaveLength(10);
    expect(lines.filter((line) => /^ {2}(?:curl|.* \| curl|\( exec|.* \| nc) /.test(line))).toHaveLength(10);
    expect(lines.join('\n')).toContain('Authorization: Bearer <TOKEN>');
    expect(lines.filter((line) => /^ +\d+ x {2}\[/.test(line))).toHaveLength(hostile.causes.length);
  });

  test('says of each cause how many cases, the check, its source, where, and by which part of the contract', () => {
    expect(describeRun(hostile, false)).toMatch(
      /^ +\d+ x {2}\[content-type; OpenAPI Response Object \(content\)\] +Content-Type is .* in \w+ .*, declared at #\/\S+$/m,
    );
  });

  test('is short, however much is wrong, and has all of it where that is asked for', () => {
    expect(hostile.causes.length).toBeGreaterThan(12);
    const causes = hostile.causes.filter(({ isSecondary }) => !isSecondary);
    expect(causes.map(({ check }) => CHECKS[check].level)[0]).toBe('contract');
    const lines = describeRun(hostile, false).split('\n');
    expect(lines.length).toBeLessThan(90);
    expect(Math.max(...lines.filter((line) => !line.startsWith('  curl ')).map(({ length }) => length))).toBeLessThan(
      700,
    );
    expect(describeRun(hostile, true).match(/^ {2}request: /gm)).toHaveLength(
      hostile.failed.length + hostile.causes.filter(({ isSecondary }) => isSecondary !== true).length,
    );
  });

  test('has no sign in it that steers a terminal, and no secret', () => {
    for (const isVerbose of [true, false]) {
      const text = describeRun(hostile, isVerbose);
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(text).toContain('\\u{1b}[2J\\u{9b}2J\\u{202e}');
      expect(text).not.toContain(SECRET);
    }
  });
});

test('what several operations have is one line at the first of them, and named at the others', () => {
  const { results, target } = hostile;
  const [first, ...others] = ['getBook', 'listBooks', 'addBook'].map((id) =>
    String(describeOperation(results, id, target, { token: 'TOKEN' })),
  );
  expect(first).toMatch(/^ +\d+ x \[unauthorized-accepted; .*\] .* in 3 operations: getBook, listBooks, addBook$/m);
  expect(first?.match(/^ {2}(?:curl|.* \| curl|\( exec|.* \| nc) /gm)).toHaveLength(1);
  for (const text of others) {
    expect(text).toMatch(/^ +same as getBook: /m);
    expect(text).not.toContain('in 3 operations');
  }
  const right = results.map((result) => ({ ...result, findings: [] }));
  expect(describeOperation(right, 'getBook', target)).toBeUndefined();
});

test('what is right has one line, and how many cases of each class there were', () => {
  const text = describeRun({ ...hostile, failed: [], causes: [], results: hostile.results.slice(0, 3) }, false);
  expect(text.split('\n')[0]).toBe('All 3 cases passed at level robust');
  expect(text).not.toContain('request: ');
});

test('JUnit has no sign that no XML has, whatever a contract calls its operations', () => {
  const results = hostile.results.slice(0, 1).map((result) => ({
    ...result,
    case: { ...result.case, operation: 'a\u0000\u001bb', label: '\ufffe \u0008' },
  }));
  expect(toJUnit(results, () => 'wrong')).not.toMatch(/(?!\n)[\p{Cc}\ufffe]/u);
});

test('names of operations, too, steer no terminal', () => {
  const { target } = hostile;
  const name = '\x1b[2J\x9b2J\u202e\x7f\u2066';
  const results = hostile.results.map((result) => ({ ...result, case: { ...result.case, operation: name } }));
  const [first] = results;
  const others = results.map((result) => ({ ...result, case: { ...result.case, operation: `${name}2` } }));
  const cases = first ? [first.case] : [];
  const texts = [
    toTable(results, []),
    describeOperation([...results, ...others], name, target),
    describeOperation([...results, ...others], `${name}2`, target),
    describeUnbuilt({ model: { ...hostile.suite.model }, cases }, new Set([name])),
  ];
  for (const text of texts) {
    expect(text).toContain('\\u{1b}[2J\\u{9b}2J\\u{202e}\\u{7f}\\u{2066}');
    expect(text?.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
  }
});

function found(label: string, ...texts: readonly string[]): CaseResult {
  const one = { operation: 'a', class: 'negative', pointer: '#/b', label } as CaseResult['case'];
  return { case: one, replies: [], findings: texts.map((text) => ({ check: 'schema', text, pointer: '#/reply' })) };
}

test('findings are grouped by cause, the most frequent first: by their text, or by operation and tested part of the contract', () => {
  const other: CaseResult = { ...found('9'), findings: [{ check: 'server-error', text: 'the status is 500' }] };
  const few = groupByCause([found('1', 'x'), found('2', 'y'), found('3', 'y'), other]);
  expect(few.map(describeCause)).toEqual([
    '    1 x [server-error; RFC 9110 15.6] the status is 500: 9 in a negative #/b 9',
    '    2 x [schema; OpenAPI Media Type Object (schema)] y in a negative #/b 2, declared at #/reply',
    '    1 x [schema; OpenAPI Media Type Object (schema)] x in a negative #/b 1, declared at #/reply',
  ]);
  const refused = (label: string, keyword: string): CaseResult => {
    const { case: one } = found(label);
    const pointer = `#/${keyword}`;
    return {
      ...other,
      case: { ...one, keyword, pointer },
      findings: [{ check: 'invalid-accepted', text: 'it is accepted' }],
    };
  };
  const ofRules = ['a', 'a', 'b', 'c', 'd', 'e'].map((label) => refused(label, 'type'));
  expect(groupByCause([refused('f', 'format'), ...ofRules]).map(({ text, results }) => [text, results.length])).toEqual(
    [
      ['it is accepted: a; b; c; d; and 1 more', 6],
      ['it is accepted: f', 1],
    ],
  );
  const slash: CaseResult = {
    ...found('//'),
    findings: [{ check: 'refusal-status', text: 'the status is 200, but should be 404' }],
  };
  const letter: CaseResult = { ...found('%6c'), findings: [{ check: 'refusal-status', text: 'the status is 404' }] };
  expect(groupByCause([letter, slash]).map(({ text }) => text)).toEqual(['the status is 404: %6c; and 1 more']);
  const ofOperations = ['b', 'c'].map((operation): CaseResult => {
    const { case: one, ...rest } = refused('a', 'type');
    return { ...rest, case: { ...one, operation, place: `GET /${operation}` } };
  });
  expect(groupByCause(ofOperations).map(describeCause)).toEqual([
    '    1 x [invalid-accepted; OpenAPI Operation Object] it is accepted: a in GET /b',
    '    1 x [invalid-accepted; OpenAPI Operation Object] it is accepted: a in GET /c',
  ]);
  const many = groupByCause(['1', 'a', 'b', 'c', '5'].map((text) => found(text, `/items/${text} is wrong`)));
  expect(many.map(({ text, results }) => [text, results.length])).toEqual([
    ['/items/1 is wrong; and 1 more like this', 2],
    ['/items/a is wrong', 1],
    ['/items/b is wrong', 1],
    ['/items/c is wrong', 1],
  ]);
});

test('all that one operation answers to with the same failure is one cause, whatever was sent', () => {
  const failed = (label: string, body: string): CaseResult => ({
    ...found(label),
    replies: [{ status: 500, headers: [], body: Buffer.from(body) }],
    findings: [{ check: 'server-error', text: 'the status is 500' }],
  });
  const results = [
    failed('a slash', 'no silence 17'),
    failed('an id', 'no silence 4a8'),
    failed('null', 'nil pointer'),
  ];
  expect(groupByCause(results).map(({ text, results: own }) => [text, own.length])).toEqual([
    ['the status is 500: a slash; an id', 2],
    ['the status is 500: null', 1],
  ]);
});

test('the case that ended the server comes first, then a 500, and last what was sent to a server that was down', () => {
  const finding = (check: CheckName, label: string, ...replies: WireReply[]): CaseResult => {
    const request = { method: 'GET', target: '/', headers: [], changeHead: (head: string) => head };
    const one = { operation: 'a', class: 'malformed', pointer: '#/b', label, request, expect: 'refused' } as Case;
    return { case: one, replies, findings: [{ check, text: check }] };
  };
  const reply = { status: 200, headers: [], body: Buffer.alloc(0) } as unknown as WireReply;
  const refused: CaseResult = {
    ...finding('no-response', '5'),
    findings: [{ check: 'no-response', text: 'connect ECONNREFUSED' }],
  };
  const causes = groupByCause([
    finding('malformed-accepted', 'two Hosts'),
    finding('schema', '1'),
    finding('malformed-accepted', 'no Host'),
    finding('server-error', '2'),
    finding('server-alive', '3', reply),
    finding('server-alive', '4'),
    refused,
  ]);
  expect(causes.map(({ check, text, results }) => [check, text, results[0]?.case.label])).toEqual([
    ['server-alive', 'server-alive: at least one of these cases ended it', '4'],
    ['server-error', 'server-error: 2', '2'],
    ['malformed-accepted', 'malformed-accepted: two Hosts; no Host', 'two Hosts'],
    ['schema', 'schema', '1'],
    ['no-response', 'the server was already down', '5'],
  ]);
});

describe('what a run writes', () => {
  const folder = useFolder();
  const outside = join(folder, 'outside');
  const contract = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');

  const WRITERS: Readonly<Record<string, (file: string) => unknown>> = {
    '--coverage': (file) => checkCoverage(createSuite(contract, { marker: 'a' }), { file, isAccepting: true }),
    '--baseline': (file) => applyBaseline([], [], { file, isAccepting: true }),
    '--junit': (file) => {
      writeReport(file, '<testsuites/>');
    },
  };

  beforeEach(() => {
    rmSync(folder, { recursive: true });
    mkdirSync(outside, { recursive: true });
  });

  test.each(Object.keys(WRITERS))(
    'a file of %s that is a link is refused, and the file elsewhere keeps its bytes',
    (name) => {
      writeFileSync(join(outside, 'file'), '[]');
      for (const target of ['file', 'missing']) {
        symlinkSync(join(outside, target), join(folder, target));
        expect(() => WRITERS[name]?.(join(folder, target))).toThrow(`${target} is a symbolic link`);
      }
      expect(readdirSync(outside)).toEqual(['file']);
      expect(readFileSync(join(outside, 'file'), 'utf8')).toBe('[]');
    },
  );

  test.each(Object.keys(WRITERS))('a file of %s may be in a folder that is a link', (name) => {
    symlinkSync(outside, join(folder, 'linked'));
    WRITERS[name]?.(join(folder, 'linked/below/a'));
    expect(readdirSync(join(outside, 'below'))).toEqual(['a']);
  });

  test('a report is written to a device as it is', () => {
    writeReport('/dev/null', 'a');
    expect(readFileSync('/dev/null', 'utf8')).toBe('');
  });

  test('a report that cannot be written leaves nothing beside it', () => {
    expect(() => {
      writeReport(outside, 'a');
    }).toThrow('EISDIR');
    expect(readdirSync(folder)).toEqual(['outside']);
  });
});
