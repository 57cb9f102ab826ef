/** Does some work for each item, so many at a time; the results are in the order of the items. */
export async function pool<Item, Result>(
  items: readonly Item[],
  width: number,
  work: (item: Item, lane: number) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = [];
  const queue = items.entries();
  await Promise.all(
    Array.from({ length: width }, async (_unused, lane) => {
      for (const [index, item] of queue) results[index] = await work(item, lane);
    }),
  );
  return results;
}
