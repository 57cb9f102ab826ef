import { createGroupCommit, LIMITS, type Failures, type GroupCommitLimits } from '../../src/store/group-commit';
import { StoreUnavailable, type StoredPlant } from '../../src/store/plant-store';

const KEPT: Failures = new Map();
const plant = (id: number, name = 'Rose'): StoredPlant => ({ id: BigInt(id), name });

interface Commit {
  readonly resolve: (failures: Failures) => void;
  readonly reject: (error: Error) => void;
}

interface Created {
  readonly store: ReturnType<typeof createGroupCommit>;
  readonly batches: readonly number[][];
  readonly commits: readonly Commit[];
  readonly isClosed: () => boolean;
}

/** A group commit whose commits end when the test says so. */
function create(limits: Partial<GroupCommitLimits> = {}): Created {
  const batches: number[][] = [];
  const commits: Commit[] = [];
  let isClosed = false;
  const store = createGroupCommit(
    {
      commit(batch) {
        batches.push(batch.map(({ id }) => Number(id)));
        return new Promise((resolve, reject) => {
          commits.push({ resolve, reject });
        });
      },
      check: () => Promise.resolve(),
      close: async () => {
        await settle();
        isClosed = true;
      },
    },
    { ...LIMITS, ...limits },
    () => undefined,
  );
  return { store, batches, commits, isClosed: () => isClosed };
}

/** Lets everything happen that waits for nothing. */
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test('one that comes alone is committed at once, those that come meanwhile share the next commit', async () => {
  const { store, batches, commits } = create();
  const first = store.add(plant(1));
  expect(batches).toEqual([[1]]);
  const others = [2, 3, 4].map((id) => store.add(plant(id)));
  await settle();
  expect(batches).toEqual([[1]]);
  commits[0]?.resolve(KEPT);
  await first;
  expect(batches).toEqual([[1], [2, 3, 4]]);
  commits[1]?.resolve(KEPT);
  await Promise.all(others);
  const later = store.add(plant(5));
  expect(batches).toEqual([[1], [2, 3, 4], [5]]);
  commits[2]?.resolve(KEPT);
  await later;
});

test('none is acknowledged before its commit is done', async () => {
  const { store, commits } = create();
  let acknowledged = 0;
  const added = [1, 2].map(async (id) => {
    await store.add(plant(id));
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
  const { store, batches, commits } = create({ batch: 2, commits: 2 });
  const added = [1, 2, 3, 4, 5, 6, 7].map((id) => store.add(plant(id)));
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

test('those of a batch that failed are told why, the others are kept', async () => {
  const { store, commits } = create();
  const first = store.add(plant(1));
  const results = Promise.allSettled([2, 3, 4].map((id) => store.add(plant(id))));
  commits[0]?.resolve(KEPT);
  await first;
  commits[1]?.resolve(new Map([[1, new Error('no')]]));
  const [two, three, four] = await results;
  expect([two?.status, four?.status]).toEqual(['fulfilled', 'fulfilled']);
  expect(three).toMatchObject({ status: 'rejected', reason: { message: 'no' } });
});

test('a commit that fails fails all of its batch, and no later one', async () => {
  const { store, commits } = create();
  const failed = store.add(plant(1));
  const kept = store.add(plant(2));
  commits[0]?.reject(new StoreUnavailable('away'));
  await expect(failed).rejects.toThrow('away');
  commits[1]?.resolve(KEPT);
  await expect(kept).resolves.toBeUndefined();
});

describe('when too many wait', () => {
  const isFull = { constructor: StoreUnavailable, message: 'too many plants wait to be kept' };

  test('it is unavailable at once, until there is room again', async () => {
    const { store, batches, commits } = create({ waiting: 2 });
    const added = [1, 2, 3].map((id) => store.add(plant(id)));
    await expect(store.add(plant(4))).rejects.toMatchObject(isFull);
    commits[0]?.resolve(KEPT);
    await added[0];
    const last = store.add(plant(5));
    commits[1]?.resolve(KEPT);
    await settle();
    commits[2]?.resolve(KEPT);
    await Promise.all([...added, last]);
    expect(batches).toEqual([[1], [2, 3], [5]]);
  });

  test('their size counts, too, in all that they hold', async () => {
    const { store, commits } = create({ bytes: 10_000 });
    const long = 'x'.repeat(2_000);
    const added = [store.add(plant(1)), store.add(plant(2, long)), store.add({ ...plant(3), tag: long })];
    await expect(store.add(plant(4, long))).rejects.toMatchObject(isFull);
    const small = store.add(plant(5));
    commits[0]?.resolve(KEPT);
    await added[0];
    const again = store.add(plant(6, long));
    commits[1]?.resolve(KEPT);
    await settle();
    commits[2]?.resolve(KEPT);
    await Promise.all([...added, small, again]);
  });

  test('one that waits alone may be of any size', async () => {
    const { store, commits } = create({ bytes: 10 });
    const added = [store.add(plant(1)), store.add(plant(2))];
    await expect(store.add(plant(3))).rejects.toMatchObject(isFull);
    commits[0]?.resolve(KEPT);
    await settle();
    commits[1]?.resolve(KEPT);
    await Promise.all(added);
  });
});

test('closing commits what waits, then closes what is below, and takes nothing more', async () => {
  const { store, batches, commits, isClosed } = create();
  const added = [1, 2].map((id) => store.add(plant(id)));
  const closing = store.close();
  await expect(store.add(plant(3))).rejects.toMatchObject({
    constructor: StoreUnavailable,
    message: 'the store is closed',
  });
  commits[0]?.resolve(KEPT);
  await settle();
  expect(isClosed()).toBe(false);
  commits[1]?.resolve(KEPT);
  await Promise.all([...added, closing]);
  expect(isClosed()).toBe(true);
  expect(batches).toEqual([[1], [2]]);
});

test('closing what is idle closes it', async () => {
  const { store, isClosed } = create();
  await store.close();
  expect(isClosed()).toBe(true);
});
