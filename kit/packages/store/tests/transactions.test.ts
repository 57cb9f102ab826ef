import { setTimeout as sleep } from 'node:timers/promises';
import { openStore, StoreUnavailable, type Statement, type Store, type Transaction } from '../src';
import { useDatabases, type Database, noteSchema, toNote, type Items, type Note } from './databases';
import { holdClock, type HeldClock } from '@contract-kit/test-support/hold-clock';

// Reads and changes that are one transaction, on both engines. Its time, a second on SQLite, stands still: a machine may
// be busy.

const databases = useDatabases();

const readNote = (number: bigint): Statement<Note> => ({
  sql: 'SELECT number, text FROM notes WHERE number = $1',
  values: [number],
  toItem: toNote,
});
const writeNote = (number: bigint, text: string): Statement<Note> => ({
  sql: 'UPDATE notes SET text = $2 WHERE number = $1 RETURNING number, text',
  values: [number, text],
  toItem: toNote,
});
const insertNote = (number: bigint, text: string): Statement<Note> => ({
  sql: 'INSERT INTO notes (number, text) VALUES ($1, $2) RETURNING number, text',
  values: [number, text],
  toItem: toNote,
});

const rollBack: Statement<unknown> = { sql: 'ROLLBACK', values: [], toItem: () => undefined };

const COUNTER = 1n;
const MILK = insertNote(2n, 'Milk');

/** Adds one to what is written in the counter. */
async function increment(tx: Transaction): Promise<number> {
  const [counter] = await tx.read(readNote(COUNTER));
  const next = Number(counter?.text) + 1;
  await tx.write(writeNote(COUNTER, String(next)));
  return next;
}

describe.each(['sqlite', 'postgres'] as const)('%s', (engine) => {
  let database: Database;
  let store: Store<Items>;
  let clock: HeldClock;
  beforeEach(async () => {
    database = await databases.create(engine);
    store = await openStore(database.location, noteSchema);
    await store.add.notes({ number: COUNTER, text: '0' });
    clock = holdClock('setTimeout', 'clearTimeout');
  });
  afterEach(async () => {
    clock[Symbol.dispose]();
    await store.close();
  });

  const readTexts = async (): Promise<unknown[]> =>
    (await database.read('SELECT text FROM notes ORDER BY number')).map(({ text }) => text);

  test('nothing is acknowledged after a statement that ended the transaction', async () => {
    const changing = store.transaction(async (tx) => {
      await increment(tx);
      await tx.write(rollBack);
    });
    await expect(changing).rejects.toThrow();
    await expect(store.write(writeNote(COUNTER, '5'), { ...rollBack, isOptional: true })).rejects.toThrow();
    await expect(readTexts()).resolves.toEqual(['0']);
  });

  test('sees its own changes, others see them when all are on disk, and its result is what the function returns', async () => {
    const found = await store.transaction(async (tx) => {
      await increment(tx);
      await tx.write(MILK);
      await expect(readTexts()).resolves.toEqual(['0']);
      await expect(store.read(readNote(2n))).resolves.toEqual([]);
      await expect(store.check()).resolves.toBeUndefined();
      return [await tx.read(readNote(COUNTER)), await tx.read(readNote(2n))];
    });
    expect(found).toEqual([[{ number: 1n, text: '1' }], [{ number: 2n, text: 'Milk' }]]);
    await expect(readTexts()).resolves.toEqual(['1', 'Milk']);
  });

  test('a function that throws undoes all of it, and the promise is rejected with what it threw', async () => {
    const error = new Error('too few');
    const failing = store.transaction(async (tx) => {
      await increment(tx);
      throw error;
    });
    await expect(failing).rejects.toBe(error);
    await expect(readTexts()).resolves.toEqual(['0']);
    await expect(store.transaction(increment)).resolves.toBe(1);
  });

  test('nothing is kept after a statement that failed, whatever the function does with its error', async () => {
    const swallowing = store.transaction(async (tx) => {
      await tx.write(MILK);
      await tx.write(insertNote(COUNTER, 'again')).catch(() => undefined);
      await expect(tx.read(readNote(COUNTER))).rejects.toThrow();
      return 'done';
    });
    await expect(swallowing).rejects.toThrow(/unique/i);
    await expect(swallowing).rejects.not.toThrow(StoreUnavailable);
    await expect(swallowing.catch((error: unknown) => (error as Error).stack)).resolves.toMatch(
      /in INSERT INTO notes \(number, text\) VALUES \(\$1, \$2\) RETURNING number, text \(bigint, string\)/,
    );
    const taken = new Error('the number is taken');
    const naming = store.transaction((tx) =>
      tx.write(insertNote(COUNTER, 'again')).catch(() => {
        throw taken;
      }),
    );
    await expect(naming).rejects.toBe(taken);
    await expect(readTexts()).resolves.toEqual(['0']);
  });

  test('its function is told at once to change rows by its tx alone; what it started may do so after its end', async () => {
    const other = await openStore((await databases.create(engine)).location, noteSchema);
    const changes = {
      add: () => store.add.notes({ number: 3n, text: 'Tea' }),
      write: () => store.write(MILK),
      transaction: () => store.transaction(increment),
    };
    let later: Promise<unknown> | undefined;
    const over = Promise.withResolvers<undefined>();
    await store.transaction(async (tx) => {
      for (const [name, change] of Object.entries(changes)) {
        const message = `inside a transaction, use tx.write: store.${name} would wait for the transaction to end`;
        await expect(change()).rejects.toThrow(message);
      }
      await other.write(MILK);
      later = over.promise.then(() => store.write(MILK));
      await increment(tx);
    });
    over.resolve(undefined);
    await later;
    await other.close();
    await expect(readTexts()).resolves.toEqual(['1', 'Milk']);
  });

  test('waits for statements that its function did not wait for, and takes none after its end', async () => {
    let late: Transaction | undefined;
    await store.transaction((tx) => {
      late = tx;
      void tx.write(MILK);
      return Promise.all([increment(tx), tx.read(readNote(2n))]);
    });
    await expect(readTexts()).resolves.toEqual(['1', 'Milk']);
    await expect(late?.write(writeNote(COUNTER, 'late'))).rejects.toThrow('the transaction has ended');
    await expect(readTexts()).resolves.toEqual(['1', 'Milk']);
    const unawaited = store.transaction((tx) => {
      tx.write(insertNote(2n, 'again')).catch(() => undefined);
      return increment(tx);
    });
    await expect(unawaited).rejects.toThrow(/unique/i);
    await expect(readTexts()).resolves.toEqual(['1', 'Milk']);
  });

  test('of many that change what they have read, none loses the change of another, on two servers', async () => {
    const other = await openStore(database.location, noteSchema);
    const stores = Array.from({ length: 40 }, (_, index) => (index % 2 === 0 ? store : other));
    const results = await Promise.all([
      ...stores.map((one) => one.transaction(increment)),
      ...stores.map((one, index) => one.add.notes({ number: BigInt(index + 10), text: 'beside' })),
    ]);
    await other.close();
    expect(results.slice(0, 40).sort((a, b) => Number(a) - Number(b))).toEqual(
      Array.from({ length: 40 }, (_, index) => index + 1),
    );
    expect((await readTexts())[0]).toBe('40');
  });

  test('of two that each read what the other one changes, one sees the change', async () => {
    await store.write(MILK);
    const other = await openStore(database.location, noteSchema);
    // Both may leave only if the other one stays.
    const leave = (one: Store<Items>, own: bigint): Promise<string> =>
      one.transaction(async (tx) => {
        const others = await tx.read(readNote(3n - own));
        if (others[0]?.text === 'gone') return 'stayed';
        await sleep(20);
        await tx.write(writeNote(own, 'gone'));
        return 'left';
      });
    const left = await Promise.all([leave(store, 1n), leave(other, 2n)]);
    await other.close();
    expect(left.sort()).toEqual(['left', 'stayed']);
  });

  test('an aborted signal ends it before it begins and while its function runs, and changes nothing after the commit', async () => {
    const reason = new Error('the client closed the connection');
    let calls = 0;
    const count = (tx: Transaction): Promise<number> => {
      calls++;
      return increment(tx);
    };
    await expect(store.transaction(count, { signal: AbortSignal.abort(reason) })).rejects.toBe(reason);
    expect(calls).toBe(0);
    const controller = new AbortController();
    const aborted = store.transaction(
      async (tx) => {
        await count(tx);
        controller.abort(reason);
        return new Promise(() => undefined);
      },
      { signal: controller.signal },
    );
    await expect(aborted).rejects.toBe(reason);
    await expect(readTexts()).resolves.toEqual(['0']);
    const later = new AbortController();
    await expect(store.transaction(count, { signal: later.signal })).resolves.toBe(1);
    later.abort(reason);
    await expect(readTexts()).resolves.toEqual(['1']);
  });

  test('closing waits for those that were begun, takes no new one, and may be repeated', async () => {
    const running = store.transaction(increment);
    await Promise.all([store.close(), store.close()]);
    await expect(running).resolves.toBe(1);
    await expect(store.transaction(increment)).rejects.toThrow(StoreUnavailable);
    await store.close();
    await expect(readTexts()).resolves.toEqual(['1']);
  });
});
