import { inOrder, mapInPool } from '../src/exchange/pool';

/** Work that is done when the test says so. */
function createWork() {
  const begun: number[] = [];
  const jobs = new Map<number, PromiseWithResolvers<number>>();
  return {
    begun,
    finish: (item: number) => jobs.get(item)?.resolve(10 * item),
    fail: (item: number) => jobs.get(item)?.reject(new Error(`no ${String(item)}`)),
    do: (item: number): Promise<number> => {
      begun.push(item);
      const job = Promise.withResolvers<number>();
      jobs.set(item, job);
      return job.promise;
    },
  };
}

test('results come in the order of the items, and no more work is under way than there are lanes', async () => {
  const work = createWork();
  const results = inOrder([1, 2, 3, 4], 2, work.do);
  const first = results.next();
  expect(work.begun).toEqual([1, 2]);
  work.finish(2);
  await Promise.resolve().then(() => undefined);
  work.finish(1);
  await expect(first).resolves.toEqual({ value: 10, done: false });
  await expect(results.next()).resolves.toEqual({ value: 20, done: false });
  expect(work.begun).toEqual([1, 2, 3, 4]);
  const third = results.next();
  work.finish(4);
  work.finish(3);
  await expect(third).resolves.toEqual({ value: 30, done: false });
  await expect(results.next()).resolves.toEqual({ value: 40, done: false });
  await expect(results.next()).resolves.toEqual({ value: undefined, done: true });
});

test('what fails is told in its turn', async () => {
  const work = createWork();
  const results = inOrder([1, 2], 2, work.do);
  const first = results.next();
  work.fail(2);
  work.finish(1);
  await expect(first).resolves.toEqual({ value: 10, done: false });
  await expect(results.next()).rejects.toThrow('no 2');
});

test('once nobody wants more, no more is begun, and what was begun is over', async () => {
  const work = createWork();
  const results = inOrder([1, 2, 3, 4, 5], 2, work.do);
  const first = results.next();
  work.finish(1);
  await first;
  const end = results.return(undefined);
  for (const item of work.begun) work.finish(item);
  await end;
  expect(work.begun).toEqual([1, 2, 3]);
});

test('all of them at once', async () => {
  await expect(mapInPool([1, 2, 3], 2, (item, lane) => Promise.resolve([item, lane < 2]))).resolves.toEqual([
    [1, true],
    [2, true],
    [3, true],
  ]);
});
