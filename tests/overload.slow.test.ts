import { setTimeout } from 'node:timers/promises';
import { createOverloadGuard } from '../src/overload';
import { postThing, startThings } from './start-things';

/** Keeps the event loop busy, in pieces of so many milliseconds. */
async function work(piece: number, pieces: number): Promise<void> {
  for (let count = 0; count < pieces; count++) {
    const end = performance.now() + piece;
    while (performance.now() < end);
    await setTimeout(0);
  }
}

test('a loop that is late again and again is overloaded, until it is not', async () => {
  const guard = createOverloadGuard();
  await setTimeout(500);
  expect(guard.isOverloaded()).toBe(false);
  await work(250, 6);
  expect(guard.isOverloaded()).toBe(true);
  await setTimeout(700);
  expect(guard.isOverloaded()).toBe(false);
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
