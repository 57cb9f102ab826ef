import { inOrder } from '../../packages/conformance/src/exchange/pool';

/** Like `inOrder`, but returns all results together. */
export async function mapInPool<Item, Result>(...args: Parameters<typeof inOrder<Item, Result>>): Promise<Result[]> {
  const all: Result[] = [];
  for await (const result of inOrder(...args)) all.push(result);
  return all;
}
