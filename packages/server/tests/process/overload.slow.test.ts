import { setTimeout } from 'node:timers/promises';
import { createOverloadGuard } from '../../src/process/overload';
import { holdClock } from '../../../../tests/support/hold-clock';
import { postThing, startThings } from '../../../../tests/support/start-things';

const INTERVAL = 20;

test('a loop that is late again and again is overloaded, until it is not', () => {
  using clock = holdClock('setInterval', 'clearInterval');
  let time = 0;
  const guard = createOverloadGuard(() => time);
  /** Lets the guard look at the clock so many times, each so many milliseconds late. */
  function look(times: number, late: number): void {
    for (let count = 0; count < times; count++) {
      time += INTERVAL + late;
      clock.pass(INTERVAL);
    }
  }
  // What was before the first look does not count.
  look(1, 10_000);
  look(100, 0);
  expect(guard.isOverloaded()).toBe(false);
  look(100, 99);
  expect(guard.isOverloaded()).toBe(false);
  // One pause is not an overload.
  look(50, 0);
  look(1, 700);
  expect(guard.isOverloaded()).toBe(false);
  look(6, 250);
  expect(guard.isOverloaded()).toBe(true);
  look(2, 0);
  expect(guard.isOverloaded()).toBe(true);
  look(3, 0);
  expect(guard.isOverloaded()).toBe(false);
  guard.close();
  expect(clock.countTimers()).toBe(0);
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
