import {
  CHECKS,
  createSuite,
  describeCause,
  describeOperation,
  describeUnbuilt,
  groupByCause,
  runSuite,
  toJUnit,
  type Case,
  type CaseResult,
  type CheckName,
} from '../src';
import type { WireReply } from '../src/wire/reply';
import type { Run } from '../src/report/run';
import { truncateReplies } from '../src/report/failure';
import { describeRun } from '../src/report/text';
import { toMarkdown } from '../src/report/markdown';
import { BOOKS, serveReplies } from './serve-books';
import { mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { stripVTControlCharacters } from 'node:util';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { applyBaseline, loadBaseline } from '../src/report/baseline';
import { checkCoverage } from '../src/report/uncovered';
import { writeReport } from '../src/report/write-report';
import { createProgress } from '../src/terminal';

const SECRET = 'a-secret-of-the-books';
// What clears a screen, in two ways, what turns text round, and what a browser would run.
const HOSTILE = '\x1b[2J\x9b2J\u202e</pre><script>alert(1)</script>" onload="alert(1)';

/** A run on a server that says the same to everything, and nothing good. */
async function runHostile(): Promise<Run> {
  await using server = await serveReplies((_req, res) => {
    // The body ends with the connection.
    res.useChunkedEncodingByDefault = false;
    res.writeHead(200, [
      ...['content-type', 'text/<script>\x9b2J'],
      ...['x-evil', `<img src=x onerror=alert(1)>\x9b2J${SECRET}`],
      ...['etag', 'last-modified', 'retry-after', 'content-range'].flatMap((name) => [
        name,
        'bytes x',
        name,
        'bytes x',
      ]),
    ]);
    res.end(`${HOSTILE}${SECRET}${'and so on '.repeat(200)}`);
  });
  const suite = createSuite(BOOKS, { marker: 'hostile', level: 'robust' });
  const target = { base: server.base, secrets: { token: SECRET }, timeout: 60_000 };
  const results = await Array.fromAsync(runSuite(suite, target, { isWanted: () => true }));
  const failed = results.filter(({ findings }) => findings.length > 0);
  const notes = ['9 cases were not tried.'];
  return {
    suite,
    target,
    variables: { token: 'TOKEN' },
    results,
    failed,
    causes: groupByCause(failed),
    unproven: [],
    notes,
    coverage: undefined,
  };
}

let hostile: Run;
beforeAll(async () => {
  hostile = await runHostile();
});

test('a result keeps as much of a large reply as a report shows, in memory of its own and whole characters', () => {
  const reply = { status: 200, headers: [], body: Buffer.from(`a${'\u00e9'.repeat(100_000)}`) };
  const binary = { ...reply, body: Buffer.alloc(100_000, 0x80) };
  const small = { ...reply, body: Buffer.from('small') };
  const [replies = []] = hostile.failed.map(
    (result) => truncateReplies({ ...result, replies: [reply, small, binary] }).replies,
  );
  expect(replies[0]?.body.toString()).toBe(`a${'\u00e9'.repeat(2 * 1024 - 1)}`);
  expect(replies[0]?.body.buffer.byteLength).toBeLessThan(10_000);
  expect(replies[1]).toEqual(small);
  expect(replies[2]?.body.length).toBeLessThan(10_000);
});

/** A terminal of 80 columns. */
const TERMINAL = Object.assign(Object.create(process.stdout) as NodeJS.WriteStream, { isTTY: true, columns: 80 });
const COMMAND = /^ {2}(?:curl|.* \| curl|\( exec|.* \| nc) /gm;

describe('the report for a terminal', () => {
  test('has five causes with a case as it was answered, and ends with a line for each of twelve causes and the sum', () => {
    const text = describeRun(hostile, false);
    const lines = text.split('\n');
    expect(lines.at(-1)).toMatch(/^\d+ of \d+ cases failed at level robust, for \d+ reasons$/);
    expect(lines.at(-2)).toBe(`and ${String(hostile.causes.length - 12)} more: add --verbose to see them`);
    expect(lines.slice(-14, -2).filter((line) => /^ +\d+ x {2}\w.*: .* \[.*; .*\]/.test(line))).toHaveLength(12);
    expect(lines.filter((line) => line.startsWith('error: '))).toHaveLength(5);
    expect(text.match(/^ {2}response {2}(?:\d{3} |none)/gm)).toHaveLength(5);
    expect(text.match(COMMAND)).toHaveLength(5);
    expect(lines.length).toBeLessThan(75);
    expect(new Set(text.match(/^ {2}rule {6}[\w-]+/gm)).size).toBe(5);
  });

  test('has as much of each cause as fits in a line that says what is wrong, whatever the name of its operation', () => {
    const [cause] = hostile.causes;
    const results = hostile.causes.flatMap((each) => each.results.slice(0, 1));
    const named = results.map((each) => ({ ...each, case: { ...each.case, operation: 'long'.repeat(40) } }));
    const causes = [...hostile.causes.slice(0, 11), ...(cause ? [{ ...cause, results: named }] : [])];
    const lines = stripVTControlCharacters(describeRun({ ...hostile, causes }, false, TERMINAL)).split('\n');
    const listed = lines.slice(-13, -1);
    for (const line of listed) expect(line).toMatch(/^ +\d+ x {2}.{1,40}: \w[^]*(?:\.\.\.|\])$/);
    expect(Math.max(...listed.map(({ length }) => length))).toBe(80);
  });

  test('says of each cause how many cases, the check, its source, where, and by which part of the contract', () => {
    expect(describeRun(hostile, true)).toMatch(
      /^error: Content-Type is .*\n {2}cases {5}\d+ in .*\n {2}rule {6}content-type, OpenAPI Response Object \(content\), declared at .*$/m,
    );
  });

  test('is as wide as a terminal, but for words that are wider, and has a request for each cause where that is asked for', () => {
    const causes = hostile.causes.filter(({ isSecondary }) => !isSecondary);
    const ranks = causes.map(({ check, results }) => [CHECKS[check].level, 1e6 - results.length].join(' '));
    expect(ranks).toEqual(ranks.toSorted());
    const lines = stripVTControlCharacters(describeRun(hostile, true, TERMINAL)).split('\n');
    const wide = lines.filter((line) => line.length > 80);
    expect(wide.filter((line) => !/^ *(?:-[\w-]+ )?\S{60}|^ *'/.test(line))).toEqual([]);
    expect(lines.filter((line) => line.startsWith('  request   '))).toHaveLength(causes.length);
    expect(lines.join(' ')).toMatch(/Authorization: +Bearer <TOKEN>/);
  });

  test('has no sign in it that steers a terminal, and no secret, and neither has its Markdown', () => {
    for (const text of [describeRun(hostile, true), describeRun(hostile, false), toMarkdown(hostile)]) {
      expect(text.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}]/u);
      expect(text).toContain('\\u{1b}[2J\\u{9b}2J\\u{202e}');
      expect(text).not.toContain(SECRET);
    }
  });
});

test('the causes are Markdown in folds, in which a server writes no tag', () => {
  const text = toMarkdown(hostile);
  expect(text).toMatch(/^## \d+ of \d+ cases failed at level robust, for \d+ reasons\n/);
  expect(text.match(/^<details><summary><code> +\d+ x .*<\/code><\/summary>$/gm)).toHaveLength(hostile.causes.length);
  expect(text.replaceAll(/<\/?(?:details|summary|code|pre)>/g, '')).not.toMatch(/[<>]/);
  expect(text).toContain('&#60;script&#62;');
});

test('progress is one line of a terminal, with a bar and the time left, and then gone', () => {
  let written = '';
  const write = (text: string): boolean => Boolean((written += text));
  const show = createProgress(Object.assign(Object.create(TERMINAL) as NodeJS.WriteStream, { write }));
  show('1 of\n2 cases', 1, 2);
  expect(written).toMatch(/^\r\u001b\[K\[={10} {10}\] 1 of\\u\{a\}2 cases, \d+ s left$/);
  show();
  expect(written.endsWith('\r\u001b[K')).toBe(true);
});

test('what several operations have is one line at the first of them, and named at the others', () => {
  const { results, target } = hostile;
  const [first, ...others] = ['getBook', 'listBooks', 'addBook'].map((id) =>
    String(describeOperation(results, id, target, { token: 'TOKEN' })),
  );
  expect(first).toMatch(
    /^ {2}cases {5}\d+ in 3 operations: getBook, listBooks, addBook\n {2}rule {6}unauthorized-accepted, /m,
  );
  expect(first?.match(COMMAND)).toHaveLength(1);
  for (const text of others) {
    expect(text).toMatch(/^same as getBook: /m);
    expect(text).not.toContain('in 3 operations');
  }
  const right = results.map((result) => ({ ...result, findings: [] }));
  expect(describeOperation(right, 'getBook', target)).toBeUndefined();
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
    describeRun({ ...hostile, causes: groupByCause(results) }, true),
    describeOperation([...results, ...others], name, target),
    describeOperation([...results, ...others], `${name}2`, target),
    describeUnbuilt({ model: { ...hostile.suite.model }, cases }, new Set([name])),
  ];
  for (const text of texts) {
    expect(text).toContain('\\u{1b}[2J\\u{9b}2J\\u{202e}');
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
  expect(few.map((cause) => describeCause(cause))).toEqual([
    '    1 x  a: the status is 500: 9 [server-error; RFC 9110 15.6]',
    '    2 x  a: y [schema; OpenAPI Media Type Object (schema)]',
    '    1 x  a: x [schema; OpenAPI Media Type Object (schema)]',
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
  expect(groupByCause(ofOperations).map((cause) => describeCause(cause))).toEqual([
    '    1 x  b: it is accepted: a [invalid-accepted; OpenAPI Operation Object]',
    '    1 x  c: it is accepted: a [invalid-accepted; OpenAPI Operation Object]',
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

  test('only a whole run without failures says what a baseline no longer needs, and no report calls the rest passed', () => {
    const file = join(folder, 'known.yaml');
    const keys = ['a range', 'a schema', 'a wrong-resource', 'b schema'].map((key) => `${key} negative #/b`);
    writeFileSync(file, keys.map((key) => `- '${key}'\n`).join(''));
    const apply = (results: readonly CaseResult[], change = {}): ReturnType<typeof applyBaseline> =>
      applyBaseline(results, [], { file, isAccepting: false, isWhole: true, level: 'contract', ...change });
    const results = [found('1', 'x'), found('2')];
    const other = { ...found('3', 'y'), case: { ...found('3').case, operation: 'c' } };
    const judged = apply(results);
    expect(judged.notes).toEqual([
      `${file} lists 1 of the findings and unproven cases: they do not fail this run.`,
      `${file} lists 1 that no longer occur, so remove them: a range negative #/b`,
    ]);
    expect(apply(results, { isWhole: false }).notes).toEqual(judged.notes.slice(0, 1));
    expect(apply([...results, other]).notes).toEqual(judged.notes.slice(0, 1));
    const run = { ...hostile, ...judged, failed: [], causes: [] };
    for (const text of [describeRun(run, false), toMarkdown(run)])
      expect(text).toMatch(/1 of 2 cases passed at level robust, and 1 did not, as the baseline lists/);
    expect(toJUnit(judged.results, String, [], ['the rest'])).toMatch(/tests="3" failures="0" errors="0" skipped="2"/);
    const stopped = { ...run, ...apply([found('2')]), stopReason: 'Stopped.', notes: ['Stopped.'] };
    expect(toMarkdown(stopped)).toMatch(/The first 1 cases passed at level robust, but .* early[^]*<pre>Stopped\./);
    // What a run without all cases accepts is added.
    apply(results.slice(1), { isAccepting: true, isWhole: false });
    expect([...loadBaseline(file)]).toEqual(keys);
  });

  const outside = join(folder, 'outside');
  const contract = readFileSync('packages/test-support/plants/openapi.yaml', 'utf8');

  const WRITERS: Readonly<Record<string, (file: string) => unknown>> = {
    '--coverage': (file) => checkCoverage(createSuite(contract, { marker: 'a' }), { file, isAccepting: true }),
    '--baseline': (file) => applyBaseline([], [], { file, isAccepting: true, isWhole: true, level: 'robust' }),
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
