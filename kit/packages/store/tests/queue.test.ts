import { AsyncLocalStorage } from 'node:async_hooks';
import { Registry } from 'prom-client';
import {
  createQueue,
  DEFAULT_LIMITS,
  toQueueBytes,
  type QueueLimits,
  type Results,
  type ReturnedRow,
} from '../src/queue';
import { StoreUnavailable } from '../src/store';
import { createStoreMetrics } from '../src';

const KEPT: Results = new Map();

interface Commit {
  readonly resolve: (results: Results) => void;
  readonly reject: (error: Error) => void;
}

interface Created {
  readonly add: (number: number, bytes?: number) => Promise<readonly ReturnedRow[]>;
  readonly queue: ReturnType<typeof createQueue<number>>;
  readonly batches: readonly number[][];
  readonly commits: readonly Commit[];
}

/** A queue whose commits end when the test says so. */
function create(limits: Partial<QueueLimits> = {}): Created {
  const batches: number[][] = [];
  const commits: Commit[] = [];
  const queue = createQueue<number>(
    (batch) => {
      batches.push([...batch]);
      return new Promise((resolve, reject) => {
        commits.push({ resolve, reject });
      });
    },
    { ...DEFAULT_LIMITS, ...limits },
    () => undefined,
  );
  return { add: (number, bytes = 0) => queue.add(number, bytes), queue, batches, commits };
}

/** Lets everything happen that waits for nothing. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one that comes alone is committed at once, those that come meanwhile share the next commit', async () => {
  const { add, batches, commits } = create();
  const first = add(1);
  expect(batches).toEqual([[1]]);
  const others = [2, 3, 4].map((number) => add(number));
  await settle();
  expect(batches).toEqual([[1]]);
  commits[0]?.resolve(KEPT);
  await first;
  expect(batches).toEqual([[1], [2, 3, 4]]);
  commits[1]?.resolve(KEPT);
  await Promise.all(others);
  const later = add(5);
  expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  commits[2]?.resolve(KEPT);
  await later;
});

test('in a gathered queue, those that are added in one turn of the event loop share a commit', async () => {
  const { add, batches, commits } = create({ isGathered: true });
  const added = [1, 2].map((number) => add(number));
  await Promise.resolve();
  added.push(add(3));
  await settle();
  expect(batches).toEqual([[1, 2, 3]]);
  added.push(add(4));
  commits[0]?.resolve(KEPT);
  await added[0];
  expect(batches).toEqual([[1, 2, 3], [4]]);
  commits[1]?.resolve(KEPT);
  await Promise.all(added);
});

test('a batch runs in the context of the first that shares it, and each goes on in its own', async () => {
  const storage = new AsyncLocalStorage<number>();
  const contexts: unknown[] = [];
  const queue = createQueue<number>(
    async () => {
      contexts.push(storage.getStore());
      await settle();
      return KEPT;
    },
    { ...DEFAULT_LIMITS, batchSize: 2 },
  );
  const add = async (number: number): Promise<unknown> => {
    await queue.add(number, 0);
    return storage.getStore();
  };
  const added = [1, 2, 3, 4, 5].map((number) => storage.run(number, add, number));
  await expect(Promise.all(added)).resolves.toEqual([1, 2, 3, 4, 5]);
  expect(contexts).toEqual([1, 2, 4]);
});

test('none is acknowledged before its commit is done', async () => {
  const { add, commits } = create();
  let acknowledged = 0;
  const added = [1, 2].map(async (number) => {
    await add(number);
    acknowledged++;
  });
  await settle();
  expect(acknowledged).toBe(0);
  commits[0]?.resolve(KEPT);
  await settle();
  expect(acknowledged).toBe(1);
  commits[1]?.resolve(KEPT);
  await Promise.all(added);
  expect(acknowledged).toBe(2);
});

test('a batch takes so many at most, and so many batches are committed at once', async () => {
  const { add, batches, commits } = create({ batchSize: 2, batches: 2 });
  const added = [1, 2, 3, 4, 5, 6, 7].map((number) => add(number));
  expect(batches).toEqual([[1], [2]]);
  commits[1]?.resolve(KEPT);
  await added[1];
  expect(batches).toEqual([[1], [2], [3, 4]]);
  for (let next = 0; next < 5; next++) {
    commits[next]?.resolve(KEPT);
    await settle();
  }
  await Promise.all(added);
  expect(batches).toEqual([[1], [2], [3, 4], [5, 6], [7]]);
});

test('a commit that fails fails all of its batch, and no later one', async () => {
  const { add, commits } = create();
  const failed = add(1);
  const kept = add(2);
  commits[0]?.reject(new StoreUnavailable('away'));
  await expect(failed).rejects.toThrow('away');
  commits[1]?.resolve(KEPT);
  await expect(kept).resolves.toEqual([]);
});

describe('when too many wait', () => {
  const isFull = { constructor: StoreUnavailable, message: 'too many rows are waiting for the database' };

  test('it is unavailable at once, until there is room again', async () => {
    const { add, batches, commits } = create({ waiting: 2 });
    const added = [1, 2, 3].map((number) => add(number));
    await expect(add(4)).rejects.toMatchObject(isFull);
    commits[0]?.resolve(KEPT);
    await added[0];
    const last = add(5);
    commits[1]?.resolve(KEPT);
    await settle();
    commits[2]?.resolve(KEPT);
    await Promise.all([...added, last]);
    expect(batches).toEqual([[1], [2, 3], [5]]);
  });

  test('the size of waiting items counts, too', async () => {
    const { add, commits } = create({ bytes: 10_000 });
    const added = [add(1, 4_000), add(2, 4_000), add(3, 4_000)];
    await expect(add(4, 4_000)).rejects.toMatchObject(isFull);
    const small = add(5);
    commits[0]?.resolve(KEPT);
    await added[0];
    const again = add(6, 4_000);
    commits[1]?.resolve(KEPT);
    await settle();
    commits[2]?.resolve(KEPT);
    await Promise.all([...added, small, again]);
  });

  test('one that waits alone may be of any size', async () => {
    const { add, commits } = create({ bytes: 10 });
    const added = [add(1), add(2)];
    await expect(add(3)).rejects.toMatchObject(isFull);
    commits[0]?.resolve(KEPT);
    await settle();
    commits[1]?.resolve(KEPT);
    await Promise.all(added);
  });
});

test('an entry that has waited for too long is refused when its turn comes, without being worked on', async () => {
  const limits = { ...DEFAULT_LIMITS };
  const { promise: committed, resolve: commit } = Promise.withResolvers<Results>();
  const batches: number[][] = [];
  const queue = createQueue<number>((batch) => {
    batches.push([...batch]);
    return committed;
  }, limits);
  const first = queue.add(1, 0);
  const late = [queue.add(2, 0), queue.add(3, 0)].map((adding) => expect(adding).rejects.toThrow(StoreUnavailable));
  // From now on, every wait is too long.
  limits.wait = -1;
  commit(KEPT);
  await Promise.all([first, ...late]);
  expect([batches, queue.countWaiting()]).toEqual([[[1]], 0]);
  await queue.close();
});

test('what waits may take 64 MB, or a sixteenth of the memory of a smaller container', () => {
  const MB = 1024 ** 2;
  expect([0, 2 ** 64, 256 * MB].map(toQueueBytes)).toEqual([64 * MB, 64 * MB, 16 * MB]);
});

test('the metrics are what was observed', async () => {
  const registry = new Registry();
  const metrics = createStoreMetrics(registry);
  for (const kept of ['true', 'false']) {
    await expect(registry.metrics()).resolves.toContain(`\nstore_commit_duration_seconds_count{kept="${kept}"} 0\n`);
  }
  metrics.observeCommit({ size: 3, milliseconds: 2, isKept: false });
  await expect(registry.metrics()).resolves.toContain('\nstore_waiting_rows 0\n');
  const pools = {
    write: [{ used: 1, idle: 2, waiting: 0 }],
    read: [5, 6].map((used) => ({ used, idle: 0, waiting: 3 })),
  };
  metrics.watch(() => ({ rows: 7, reads: 8, pools }));
  metrics.observeLog(4_096);
  const text = await registry.metrics();
  for (const line of [
    'store_commit_duration_seconds_bucket{le="0.001",kept="false"} 0',
    'store_commit_duration_seconds_bucket{le="0.0025",kept="false"} 1',
    'store_commit_duration_seconds_sum{kept="false"} 0.002',
    'store_commit_rows_bucket{le="2"} 0',
    'store_commit_rows_bucket{le="4"} 1',
    'store_waiting_rows 7',
    'store_waiting_reads 8',
    'store_connections{pool="write",state="idle"} 2',
    'store_connections{pool="read",state="used"} 11',
    'store_connections{pool="read",state="waiting"} 6',
    'store_log_bytes 4096',
  ]) {
    expect(text.split('\n')).toContain(line);
  }
});
