import { performance } from 'node:perf_hooks';
import { createRunQueue } from '../src/dev/run-queue';
import { holdClock, type HeldClock } from '../../../tests/support/hold-clock';

let clock: HeldClock;
beforeEach(() => {
  clock = holdClock('setTimeout', 'clearTimeout');
});
afterEach(() => {
  clock[Symbol.dispose]();
});

/** Turns whose runs end when the test says so. */
function startTurns() {
  const runs: { since: number; end: () => Promise<void> }[] = [];
  const waiting: number[] = [];
  const turns = createRunQueue(
    (since) =>
      new Promise((resolve) => {
        const end = async (): Promise<void> => {
          resolve();
          // What follows it follows at once.
          await new Promise((resume) => setImmediate(resume));
        };
        runs.push({ since, end });
      }),
    () => waiting.push(runs.length),
  );
  return { ...turns, runs, waiting };
}

test('changes that come together have one run, which is told of the first', async () => {
  const turns = startTurns();
  const before = performance.now();
  turns.schedule();
  const after = performance.now();
  for (let time = 0; time < 5; time++) {
    clock.pass(99);
    turns.schedule();
  }
  expect(turns.runs).toEqual([]);
  clock.pass(100);
  expect(turns.runs[0]?.since).toBeGreaterThanOrEqual(before);
  expect(turns.runs[0]?.since).toBeLessThanOrEqual(after);
  await turns.runs[0]?.end();
  clock.pass(10_000);
  expect(turns.runs).toHaveLength(1);
});

test.each([0, 50, 200])('a change during a run, %d ms before its end, has a run of its own after it', async (pause) => {
  const turns = startTurns();
  turns.schedule();
  clock.pass(100);
  turns.schedule();
  clock.pass(pause);
  expect(turns.runs).toHaveLength(1);
  expect(turns.waiting).toEqual(pause < 100 ? [] : [1]);
  await turns.runs[0]?.end();
  clock.pass(100);
  expect(turns.runs).toHaveLength(2);
  expect(turns.runs[1]?.since).toBeGreaterThan(turns.runs[0]?.since ?? Infinity);
  await turns.runs[1]?.end();
  clock.pass(10_000);
  expect(turns.runs).toHaveLength(2);
});

test('when it is stopped nothing begins any more', async () => {
  const turns = startTurns();
  turns.schedule();
  clock.pass(100);
  turns.schedule();
  turns.stop();
  await turns.runs[0]?.end();
  turns.schedule();
  clock.pass(10_000);
  expect(turns.runs).toHaveLength(1);
});
