import { AsyncLocalStorage } from 'node:async_hooks';
import { Refusal } from '../../src/errors/refusal';
import { createRequestLog, logOutcome, type Log } from '../../src/http/request-log';
import { createLog, logUnwritten, createStandardOutput } from '../../src/runtime/log';
import type { Report } from '../../src/http/report';
import { holdClock } from '@contract-kit/test-support/hold-clock';

const CLOCK = String.raw`\d\d:\d\d:\d\d\.\d{3}`;

/** What a log writes, as the reader gets it. */
function write(
  use: (log: Log) => void,
  settings: Partial<Parameters<typeof createStandardOutput>[0]>,
  isTerminal = false,
): string {
  let text = '';
  const destination = { write: (line: string) => (text += line) };
  const all = { logFormat: undefined, logColors: true, ...settings };
  use(createLog('trace', createStandardOutput(all, isTerminal, destination)));
  return text;
}

/** Without the time. */
function writeText(use: (log: Log) => void): string {
  const text = write(use, { logFormat: 'text' });
  expect(text).toMatch(new RegExp(`^${CLOCK} `));
  return text.replaceAll(new RegExp(`^${CLOCK} `, 'gm'), '');
}

test('a request is a line with what can be read in a terminal, and nothing that is not known', () => {
  const outcome = { id: 'the-one-of-this-request', method: 'POST', operation: 'createThing', milliseconds: 1.23456 };
  const refusal = new Refusal('INVALID_BODY', 'what the client sent');
  const text = writeText((log) => {
    logOutcome(log, { ...outcome, status: 200 });
    logOutcome(log, { ...outcome, status: 400, refusal, isAborted: true });
    logOutcome(log, { status: 400, refusal: new Refusal('MALFORMED_REQUEST') });
  });
  expect(text).toBe(
    `info  request POST createThing 200 1.235 ms the-one-of-this-request
info  request POST createThing 400 1.235 ms INVALID_BODY aborted the-one-of-this-request
    rule: schema
    place: /body
info  request 400 MALFORMED_REQUEST
`,
  );
});

test('the line of a request has its fields in one order, and the time at which it was written', () => {
  const known = { id: 'the-one-of-this-request', traceId: 'a1', client: undefined, caller: 'ada' };
  const outcome = { ...known, method: 'POST', path: '/things' };
  let before = Date.now();
  for (const isAborted of [false, false, true]) {
    const report = { ...outcome, operation: 'createThing', status: 200, milliseconds: 1.23456, isAborted };
    const text = write(
      (log) => {
        logOutcome(log, report);
      },
      { logFormat: 'json' },
    );
    const { time } = JSON.parse(text) as { time: string };
    const aborted = isAborted ? ',"aborted":true' : '';
    expect(text).toBe(
      `{"level":30,"time":"${time}","id":"the-one-of-this-request","caller":"ada","method":"POST","path":"/things","operation":"createThing","status":200,"ms":1.235${aborted},"trace_id":"a1","msg":"request"}\n`,
    );
    expect(new Date(time).toISOString()).toBe(time);
    expect(Date.parse(time)).toBeGreaterThanOrEqual(before);
    expect(Date.parse(time)).toBeLessThanOrEqual(Date.now());
    // The next line is written in another millisecond.
    for (before = Date.now(); Date.now() === before;);
    before = Date.now();
  }
});

test('other fields have lines of their own', () => {
  const text = writeText((log) => {
    log.info({ url: 'http://127.0.0.1:3000', contract: { version: '1.0.0' }, publicOperations: 2 }, 'listening');
    log.warn({ status: 400, requests: 7 }, 'requests without a log line');
    log.fatal({ reason: 'none' });
  });
  expect(text).toBe(
    `info  listening
    url: http://127.0.0.1:3000
    contract: {"version":"1.0.0"}
    publicOperations: 2
warn  requests without a log line 400 7
fatal${' '}
    reason: none
`,
  );
});

test('a level that pino does not know is its number', () => {
  const log = createLog('info', { write: () => undefined });
  expect(log.levels.labels[35]).toBeUndefined();
  const text = writeText((known) => {
    known.info({ level: 35 }, 'between');
  });
  expect(text).toBe('35    between\n');
});

test.each([
  ['\u001b[2J', '\\u{1b}[2J'],
  ['\r', '\\u{d}'],
  ['\u0000\u0007\u007f\u009b', '\\u{0}\\u{7}\\u{7f}\\u{9b}'],
  ['\u202e\u2028\u2029\u{e0001}\ud800', '\\u{202e}\\u{2028}\\u{2029}\\u{e0001}\\u{d800}'],
  ['é 中 \u{1f331}', 'é 中 \u{1f331}'],
  ['\n12:00:00.000 info  listening', '\n    12:00:00.000 info  listening'],
])('what an error has of a client neither commands the terminal nor looks like a line: %j', (sent, shown) => {
  const cause = Object.assign(new Error(), { stack: `Error: ${sent}` });
  const refusal = new Refusal('INTERNAL_ERROR', undefined, { cause });
  const text = writeText((log) => {
    logOutcome(log, { status: 500, refusal });
    log.info({ [`a${sent}`]: sent }, sent);
  });
  expect(text).toBe(
    `error request 500 INTERNAL_ERROR\n    cause: Error: ${shown}\ninfo  ${shown}\n    a${shown}: ${shown}\n`,
  );
});

test('no character of a JSON line commands a terminal, and its values are what they were', () => {
  const units = Array.from({ length: 0xffff }, (_, unit) => String.fromCharCode(unit)).filter((unit) =>
    /\p{C}/u.test(unit),
  );
  const sent = `${units.filter((unit) => unit.isWellFormed()).join('')}\u{e0001}\u2028\u2029 \u00e9 \u{1f331}`;
  const cause = Object.assign(new Error(), { stack: sent });
  const lines = write((log) => {
    logOutcome(log, { status: 500, refusal: new Refusal('INTERNAL_ERROR', undefined, { cause }) });
    log.child({ child: sent }).info({ [sent]: sent }, sent);
  }, {}).trimEnd();
  expect(lines.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u);
  const [failure, other] = lines.split('\n').map((line) => JSON.parse(line) as Record<string, unknown>);
  expect(failure?.['cause']).toBe(sent);
  expect(other).toMatchObject({ child: sent, [sent]: sent, msg: sent });
  expect(lines).toContain('\u00e9 \u{1f331}');
});

describe('the format', () => {
  const logAll = (log: Log): void => {
    for (const level of ['info', 'warn', 'error'] as const) log[level]('one');
  };

  test.each([
    [undefined, true, / one$/],
    [undefined, false, /"msg":"one"\}$/],
    ['text', false, / one$/],
    ['json', true, /"msg":"one"\}$/],
  ] as const)('%s, on a terminal: %s, has lines like %s', (logFormat, isTerminal, line) => {
    const lines = write(logAll, { logFormat }, isTerminal).trimEnd().split('\n');
    expect(lines.map((text) => line.test(text))).toEqual([true, true, true]);
  });

  test.each([
    [true, true, ['info 2', 'warn 3', 'error 1']],
    [true, false, []],
    [false, true, []],
  ])('colours wanted: %s, on a terminal: %s', (logColors, isTerminal, colours) => {
    const text = write(logAll, { logFormat: 'text', logColors }, isTerminal);
    const found = [...text.matchAll(/\u001b\[3([0-8])m(\w+)/g)].map(([, ...parts]) => parts.toReversed().join(' '));
    expect(found).toEqual(colours);
    expect(text.includes('\u001b')).toBe(colours.length > 0);
  });

  test('standard output is written in the background', () => {
    expect(createStandardOutput({ logFormat: 'json', logColors: true })).toMatchObject({ sync: false, fd: 1 });
  });
});

interface Line {
  readonly status?: number;
  readonly requests?: number;
  readonly msg: string;
}

function create(): { report: Report; lines: Line[] } {
  const lines: Line[] = [];
  const log = createLog('info', { write: (line) => lines.push(JSON.parse(line) as Line) });
  return { report: createRequestLog(log), lines };
}

const of = (lines: readonly Line[], status: number): Line[] => lines.filter((line) => line.status === status);

test('the line of those that have none is not written in the context of a request', () => {
  using clock = holdClock('setTimeout', 'clearTimeout');
  const storage = new AsyncLocalStorage();
  const contexts: unknown[] = [];
  const report = createRequestLog(createLog('warn', { write: () => contexts.push(storage.getStore()) }));
  storage.run('a request', () => {
    for (let count = 0; count < 101; count++) report({ status: 400 });
    clock.pass(1000);
  });
  expect(contexts).toEqual([undefined]);
});

test('every good request has its line', () => {
  const { report, lines } = create();
  for (let count = 0; count < 500; count++) report({ status: 200 });
  expect(lines).toHaveLength(500);
});

test('of the refusals of one status a hundred have one in a second, the others are counted', () => {
  using clock = holdClock('setTimeout', 'clearTimeout');
  const { report, lines } = create();
  for (let count = 0; count < 10_000; count++) {
    report({ status: 400 });
    if (count < 100) report({ status: 503 });
  }
  report({ status: 200 });
  expect([of(lines, 400).length, of(lines, 503).length, of(lines, 200).length]).toEqual([100, 100, 1]);
  clock.pass(999);
  expect(lines).toHaveLength(201);
  clock.pass(1);
  expect(lines.slice(201)).toMatchObject([{ status: 400, requests: 9_900, msg: 'requests without a log line' }]);
  report({ status: 400 });
  expect(of(lines, 400)).toHaveLength(102);
  clock.pass(1_000);
  expect(lines).toHaveLength(203);
});

test('what is to be written in renderError is one line, and none where nothing is', () => {
  const text = writeText((log) => {
    logUnwritten(log, ['code', 'violations']);
    logUnwritten(log, []);
  });
  expect(text).toBe('warn  renderError still has placeholder values\n    unwritten: ["code","violations"]\n');
});
