import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { useFolder } from '@contract-kit/test-support/use-folder';
import { runJudges } from './run';

const folder = useFolder();
const FORMS = 'web-platform-tests/urlencoded-parser-data.json';

async function judge(name: string, files: Readonly<Record<string, string>>): Promise<[status: number, string[]]> {
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
  const lines: string[] = [];
  const status = await runJudges(['--data', folder, name], (line) => lines.push(line));
  return [status, lines];
}

test('a wrong verdict of the server or the suite fails the proof', async () => {
  const texts = { 'n_array.json': '[]', 'y_open.json': '[', 'y_array.json': '[1]', 'i_open.json': '[' };
  const files = Object.entries(texts).map(([name, text]) => [`json-test-suite/test_parsing/${name}`, text]);
  const [status, lines] = await judge('json', Object.fromEntries(files) as Record<string, string>);
  expect(status).toBe(1);
  expect(lines).toEqual(
    expect.arrayContaining([
      ...['  n_array.json, server: 200', '  n_array.json, suite: accepted'],
      ...['  y_open.json, server: 400', '  y_open.json, suite: refused'],
      'result: 12 tests by 1 judges, 0 differ on purpose; 4 unexpected differences',
    ]),
  );
});

test('an exception that no test needs any more fails the proof', async () => {
  const rows = (...inputs: readonly string[]) => ({
    [FORMS]: JSON.stringify([
      {
        input: 'a=b+c&a',
        output: [
          ['a', 'b c'],
          ['a', ''],
        ],
      },
      ...inputs.map((input) => ({ input, output: [] })),
    ]),
  });
  const malformed = ['%FE%FF', '%FF%FE', '%C2', '%C2x', '_charset_=windows-1252&test=%C2x', '%=a', '%a=a', '%a_=a'];
  const rest = ['id=0&value=%', 'b=%2sf%2a', 'b=%2%2af%2a'];
  const [status, lines] = await judge('forms', rows(...malformed, ...rest));
  expect([status, lines[1]]).toEqual([1, '  no longer differs: "b=%%2a": 400']);
  const [passed, all] = await judge('forms', rows(...malformed, ...rest, 'b=%%2a'));
  expect([passed, all[0]]).toEqual([0, 'forms: 13 tests, 12 differ on purpose']);
});

test('an item that the suite reads otherwise fails the proof, and so does one that it should refuse', async () => {
  const row = (name: string, bytes: string, more: object) => ({ mediaType: 'application/jsonl', name, bytes, ...more });
  const rows = [
    row('right', '1\n', { items: [1] }),
    row('another value', '1\n', { items: [2] }),
    row('accepted', '1\n', { items: [1], error: { item: 2, rule: 'not JSON' } }),
    row('refused', 'x\n', { items: [] }),
  ];
  const [status, lines] = await judge('sequences', {
    'sequential-media.json': JSON.stringify(rows),
    'web-platform-tests/event-stream.json': '[]',
  });
  expect([status, lines[0]]).toEqual([1, 'sequences: 4 tests, 0 differ on purpose']);
  expect(lines.slice(1, 4)).toEqual([
    '  application/jsonl, another value: [1]',
    '  application/jsonl, accepted: accepted',
    expect.stringContaining('  application/jsonl, refused: item 1 is not JSON'),
  ]);
});

test('without its data, the proof says what it needs', async () => {
  const lines: string[] = [];
  await expect(runJudges([], (line) => lines.push(line))).resolves.toBe(2);
  expect(lines).toEqual([expect.stringContaining('by --data DIR')]);
});
