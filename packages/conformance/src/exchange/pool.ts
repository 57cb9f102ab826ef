// Works on many items with a limited number of workers.

/**
 * Calls `work` for up to `concurrency` items at a time, and yields the results in the order of the items: each as soon
 * as it and all before it are there. When the consumer stops, no more work begins.
 *
 * @param work gets the item, and the index of the worker, for resources that workers cannot share
 */
export async function* mapInOrder<Item, Result>(
  items: readonly Item[],
  concurrency: number,
  work: (item: Item, workerIndex: number) => Promise<Result>,
): AsyncGenerator<Result> {
  const jobs = items.map((item) => ({ item, ...Promise.withResolvers<Result>() }));
  // Marks rejections as handled: a failure is thrown when its result is yielded.
  for (const { promise } of jobs) promise.catch(() => undefined);
  // All workers share one iterator, so that each job is taken once.
  const queue = jobs.values();
  let hasConsumerStopped = false;
  const workers = Array.from({ length: concurrency }, async (_unused, workerIndex) => {
    for (const { item, resolve, reject } of queue) {
      if (hasConsumerStopped) return;
      await work(item, workerIndex).then(resolve, reject);
    }
  });
  try {
    for (const { promise } of jobs) yield await promise;
  } finally {
    hasConsumerStopped = true;
    await Promise.all(workers);
  }
}
