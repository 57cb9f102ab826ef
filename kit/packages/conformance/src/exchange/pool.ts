// Works on many items with a limited number of workers.

/**
 * Calls `work` for up to `concurrency` items at a time, and yields the results in the order of the items, each as soon
 * as possible. When the consumer stops, no more work begins. `workerIndex` chooses resources that workers cannot share.
 */
export async function* mapInOrder<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item, workerIndex: number) => Promise<Result>,
): AsyncGenerator<Result> {
  const pending = new Map(items.map((_item, index) => [index, Promise.withResolvers<Result>()]));
  // Marks rejections as handled: a failure is thrown when its result is yielded.
  for (const { promise } of pending.values()) promise.catch(() => undefined);
  // All workers share one iterator, so that each item is taken only once.
  const queue = items.entries();
  let hasConsumerStopped = false;
  const workers = Array.from({ length: concurrency }, async (_unused, workerIndex) => {
    for (const [index, item] of queue) {
      const job = pending.get(index);
      if (hasConsumerStopped || job === undefined) return;
      await work(item, workerIndex).then(job.resolve, job.reject);
    }
  });
  try {
    for (const [index, { promise }] of pending) {
      // A promise keeps its result, which may be megabytes.
      pending.delete(index);
      yield await promise;
    }
  } finally {
    hasConsumerStopped = true;
    await Promise.all(workers);
  }
}
