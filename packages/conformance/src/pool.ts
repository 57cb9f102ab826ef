/** Works on the items, at most `width` at a time, and returns the results in the order of the items. */
export function mapInPool<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, lane: number) => Promise<Result>,
): Promise<Result[]> {
  return collect(inOrder(items, width, work));
}

/**
 * The same, but yields each result as soon as those before it are there. When the consumer stops, no more work begins.
 */
export async function* inOrder<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, lane: number) => Promise<Result>,
): AsyncGenerator<Result> {
  const jobs = items.map((item) => ({ item, ...Promise.withResolvers<Result>() }));
  // Marks rejections as handled: a failure is thrown when its result is yielded.
  for (const { promise } of jobs) promise.catch(() => undefined);
  const queue = jobs.values();
  let isOver = false;
  const lanes = Array.from({ length: width }, async (_unused, lane) => {
    for (const { item, resolve, reject } of queue) {
      if (isOver) return;
      await work(item, lane).then(resolve, reject);
    }
  });
  try {
    for (const { promise } of jobs) yield await promise;
  } finally {
    isOver = true;
    await Promise.all(lanes);
  }
}

async function collect<Result>(results: AsyncIterable<Result>): Promise<Result[]> {
  const all: Result[] = [];
  for await (const result of results) all.push(result);
  return all;
}
