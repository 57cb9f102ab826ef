/**
 * Calls `work` for up to `concurrency` items at a time, and yields the results in the order of the items. When the
 * consumer stops, no more work begins. Workers can use `workerIndex` to choose a resource that they must not share.
 */
export async function* mapInOrder<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item, workerIndex: number) => Promise<Result>,
): AsyncGenerator<Result> {
  const pending = new Map(items.map((_item, index) => [index, Promise.withResolvers<Result>()]));
  // Marks rejections as handled. They are thrown later, when their result is yielded.
  for (const { promise } of pending.values()) promise.catch(() => undefined);
  // All workers share this iterator, so that each item is taken once.
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
      // Frees the result, which can be several megabytes.
      pending.delete(index);
      yield await promise;
    }
  } finally {
    hasConsumerStopped = true;
    await Promise.all(workers);
  }
}
