// Works on many items with a limited number of workers.

/**
 * Calls `work` for each item, at most `width` at a time, and yields the results in the order of the items: each as soon
 * as it and all before it are there. When the consumer stops, no more work begins.
 *
 * @param work gets the item, and the number of the worker from 0 on (`lane`), for resources that workers cannot share
 */
export async function* inOrder<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, lane: number) => Promise<Result>,
): AsyncGenerator<Result> {
  const jobs = items.map((item) => ({ item, ...Promise.withResolvers<Result>() }));
  // Marks rejections as handled: a failure is thrown when its result is yielded.
  for (const { promise } of jobs) promise.catch(() => undefined);
  // All workers share one iterator, so that each job is taken once.
  const queue = jobs.values();
  let hasConsumerStopped = false;
  const workers = Array.from({ length: width }, async (_unused, lane) => {
    for (const { item, resolve, reject } of queue) {
      if (hasConsumerStopped) return;
      await work(item, lane).then(resolve, reject);
    }
  });
  try {
    for (const { promise } of jobs) yield await promise;
  } finally {
    hasConsumerStopped = true;
    await Promise.all(workers);
  }
}
