import { createHistogram } from 'node:perf_hooks';
import { setTimeout } from 'node:timers/promises';
import { createOverloadGuard } from '../../src/runtime/create-server';
import { postThing, startThings } from '../start-things';

const INTERVAL = 20;

test('a loop that is late again and again is overloaded, until it is not; one pause is not an overload', () => {
  const delays = createHistogram();
  const guard = createOverloadGuard(Object.assign(delays, { enable: () => true, disable: () => true }));
  /** Records ticks of the event loop, each so many milliseconds late. */
  function isOverloadedAfter(...late: readonly number[]): boolean {
    for (const milliseconds of late) delays.record((INTERVAL + milliseconds) * 1e6);
    return guard.isOverloaded();
  }
  expect(isOverloadedAfter(0, 0, 0, 0, 0)).toBe(false);
  expect(isOverloadedAfter(99, 99, 99, 99, 99)).toBe(false);
  expect(isOverloadedAfter(0, 0, 10_000, 0, 0)).toBe(false);
  expect(isOverloadedAfter(250, 250, 250, 250)).toBe(false);
  expect(isOverloadedAfter(250)).toBe(true);
  expect(isOverloadedAfter(0, 0, 0, 0)).toBe(true);
  expect(isOverloadedAfter(0)).toBe(false);
});

test('it sees a loop that is busy', async () => {
  const guard = createOverloadGuard();
  while (!guard.isOverloaded()) {
    for (const end = performance.now() + 250; performance.now() < end;);
    await setTimeout(0);
  }
  expect(guard.isOverloaded()).toBe(true);
  guard.close();
});

test('an overloaded service refuses at once, with 503 and when to come again', async () => {
  let isOverloaded = true;
  await using app = await startThings({ isOverloaded: () => isOverloaded });
  const reply = await postThing(app.server, '{"id":1,"name":"Rose"}').expect(503);
  expect(reply.body).toMatchObject({ error: 50300 });
  expect(reply.headers['retry-after']).toBe('1');
  isOverloaded = false;
  await postThing(app.server, '{"id":1,"name":"Rose"}').expect(200);
});
