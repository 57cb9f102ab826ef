import { mapInOrder } from '../../packages/conformance/src/exchange/pool';

/** Like `inOrder`, but returns all results together. */
export async function mapInPool<Item, Result>(...args: Parameters<typeof mapInOrder<Item, Result>>): Promise<Result[]> {
  const all: Result[] = [];
  for await (const result of mapInOrder(...args)) all.push(result);
  return all;
}
