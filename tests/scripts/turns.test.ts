import { setTimeout } from 'node:timers/promises';
import { createTurns } from '../../scripts/dev/turns';

/** Turns whose runs end when the test says so. */
function startTurns() {
  const runs: { since: number; end: () => void }[] = [];
  const turns = createTurns(
    (since) =>
      new Promise((end) => {
        runs.push({ since, end });
      }),
  );
  async function nextRun(count: number) {
    while (runs.length < count) await setTimeout(5);
    return runs[count - 1];
  }
  return { ...turns, runs, nextRun };
}

test('changes that come together have one run, which is told of the first', async () => {
  const turns = startTurns();
  const before = performance.now();
  turns.schedule();
  const after = performance.now();
  for (let time = 0; time < 5; time++) {
    await setTimeout(20);
    turns.schedule();
  }
  const run = await turns.nextRun(1);
  expect(run?.since).toBeGreaterThanOrEqual(before);
  expect(run?.since).toBeLessThanOrEqual(after);
  run?.end();
  await setTimeout(300);
  expect(turns.runs).toHaveLength(1);
});

test('a change during a run, at any time of it, has a run of its own after it', async () => {
  for (const pause of [0, 50, 200]) {
    const turns = startTurns();
    turns.schedule();
    const first = await turns.nextRun(1);
    turns.schedule();
    await setTimeout(pause);
    expect(turns.runs).toHaveLength(1);
    first?.end();
    const second = await turns.nextRun(2);
    expect(second?.since).toBeGreaterThan(first?.since ?? Infinity);
    second?.end();
  }
});

test('when it is stopped nothing begins any more', async () => {
  const turns = startTurns();
  turns.schedule();
  const first = await turns.nextRun(1);
  turns.schedule();
  turns.stop();
  first?.end();
  turns.schedule();
  await setTimeout(300);
  expect(turns.runs).toHaveLength(1);
});
