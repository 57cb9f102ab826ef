import type { RequestListener } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { createSuite, runSuite, titleOf, type Target } from '../src';
import { BOOKS, serveReplies } from './serve-books';
import { mapInOrder } from '../src/exchange/pool';

/** What a run says of a server, case by case. */
async function runAll(
  base: URL,
  workers: number,
  parts: Partial<Target> = {},
  classes: readonly string[] = ['positive', 'method', 'path', 'parameter'],
): Promise<string[]> {
  const suite = createSuite(BOOKS, { marker: 'many', level: 'robust' });
  const target = { base, secrets: { token: 'right' }, timeout: 60_000, ...parts };
  const isWanted = ({ class: name }: { class: string }): boolean => classes.includes(name);
  const lines: string[] = [];
  for await (const { case: one, findings } of runSuite(suite, target, { isWanted, workers }))
    lines.push(`${titleOf(one)}: ${findings.map(({ check, text }) => `${check} ${text}`).join('; ')}`);
  expect(lines.length).toBeGreaterThan(20);
  return lines;
}

/** Answers once so many requests wait, or all that are left: the latest first. */
function createCrowd(size: number, total: number, count: () => unknown = () => undefined) {
  let left = total;
  const waiting: (() => void)[] = [];
  const answer: RequestListener = ({ url, headers }, res) => {
    const reply = (): void => void res.writeHead(Number(url?.length) % 2 === 0 ? 200 : 404).end();
    // Whether the server is still there is asked beside the cases.
    if (headers.authorization === undefined) reply();
    else {
      count();
      waiting.push(reply);
    }
    if (waiting.length < Math.min(size, left)) return;
    left -= waiting.length;
    for (const each of waiting.splice(0).reverse()) each();
  };
  return answer;
}

test('however many are under way, and whichever is answered first: the results and their order are the same', async () => {
  // Each of one request.
  const classes = ['method', 'parameter'];
  let total = 0;
  await using alone = await serveReplies(createCrowd(1, Infinity, () => total++));
  const expected = await runAll(alone.base, 1, {}, classes);
  await using crowd = await serveReplies(createCrowd(4, total));
  expect(await runAll(crowd.base, 4, {}, classes)).toEqual(expected);
});

test('where somebody looks behind the server, one is sent after the other', async () => {
  let under = 0;
  let most = 0;
  await using server = await serveReplies((_req, res) => {
    most = Math.max(most, ++under);
    setImmediate(() => {
      under--;
      res.writeHead(200).end();
    });
  });
  await runAll(server.base, 8, { watch: () => () => [] }, ['path']);
  expect(most).toBe(1);
});

describe('a server that has too much to do', () => {
  const limit =
    (times: number): RequestListener =>
    (req, res) => {
      const key = JSON.stringify([req.method, req.url, req.headers, req.headers['x-id']]);
      const count = (seen.get(key) ?? 0) + 1;
      seen.set(key, count);
      if (count <= times) res.writeHead(429, { 'retry-after': '0' }).end();
      else res.writeHead(200).end();
    };
  const seen = new Map<string, number>();
  beforeEach(() => {
    seen.clear();
  });

  test('is asked again, and then judged', async () => {
    await using server = await serveReplies(limit(1));
    await using patient = await serveReplies(limit(0));
    const expected = await runAll(patient.base, 4);
    seen.clear();
    expect(await runAll(server.base, 4, { retries: 2 })).toEqual(expected);
  });

  test('is accused by a target without retries', async () => {
    await using server = await serveReplies(limit(Infinity));
    const lines = await runAll(server.base, 1);
    expect(lines.filter((line) => line.includes('the status is 429'))).not.toEqual([]);
  });
});

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

test('what fails is told in its turn', async () => {
  const work = createWork();
  const results = mapInOrder([1, 2], 2, work.do);
  const first = results.next();
  work.fail(2);
  work.finish(1);
  await expect(first).resolves.toEqual({ value: 10, done: false });
  await expect(results.next()).rejects.toThrow('no 2');
});

test('once nobody wants more, no more is begun, and what was begun is over', async () => {
  const work = createWork();
  const results = mapInOrder([1, 2, 3, 4, 5], 2, work.do);
  const first = results.next();
  work.finish(1);
  await first;
  const end = results.return(undefined);
  for (const item of work.begun) work.finish(item);
  await end;
  expect(work.begun).toEqual([1, 2, 3]);
});

test('all of them at once', async () => {
  const results = mapInOrder([1, 2, 3], 2, (item, lane) => Promise.resolve([item, lane < 2]));
  await expect(Array.fromAsync(results)).resolves.toEqual([
    [1, true],
    [2, true],
    [3, true],
  ]);
});

test('a result that was taken is not kept, since a reply may be megabytes', async () => {
  setFlagsFromString('--expose-gc');
  const collectGarbage = runInNewContext('gc') as () => void;
  const references: WeakRef<Buffer>[] = [];
  const work = (size: number): Promise<Buffer> => {
    const reply = Buffer.alloc(size);
    references.push(new WeakRef(reply));
    return Promise.resolve(reply);
  };
  let taken = 0;
  for await (const { length } of mapInOrder([1, 2, 3, 4], 2, work)) {
    expect(length).toBe(++taken);
    await nextTurn();
    collectGarbage();
    expect(references.slice(0, taken - 1).filter((reference) => reference.deref() !== undefined)).toEqual([]);
  }
  expect(taken).toBe(4);
});
