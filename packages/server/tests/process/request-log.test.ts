import type { Report } from '../../src/http/report';
import { createLog, createRequestLog } from '../../src/runtime/log';
import { holdClock } from '../../../../tests/support/hold-clock';

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
  expect(lines.slice(201)).toMatchObject([{ status: 400, requests: 9_900, msg: 'requests that have no line' }]);
  report({ status: 400 });
  expect(of(lines, 400)).toHaveLength(102);
  clock.pass(1_000);
  expect(lines).toHaveLength(203);
});
