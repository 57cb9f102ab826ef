import { additionalOf, allBranchesOf, itemsOf, propertiesOf, rulesOf, type Schema } from '../../src/contract/schema';
import { isJsonList, isJsonObject, type Json } from '../../src/wire/json';

/** What a handler may return for a value: an int64 is a bigint, and every other number a number. */
export function toKit(schema: Schema | undefined, value: Json): unknown {
  const branches = schema ? allBranchesOf(schema) : [];
  if (isJsonList(value)) {
    const items = branches.map(itemsOf).find((one) => one !== undefined);
    return value.map((item) => toKit(items, item));
  }
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, toKit(memberOf(branches, name), member)]),
    );
  }
  const isLong = branches.some((branch) => rulesOf(branch, 'format').some((rule) => rule.value === 'int64'));
  return typeof value === 'bigint' && !isLong ? Number(value) : value;
}

/** The value that a handler got, as the suite has it: every integer is a bigint, bytes are a text of their numbers. */
export function fromKit(value: unknown): Json | undefined {
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map((item) => fromKit(item) ?? null);
  if (!isJsonObject(value)) return value as Json | undefined;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fromKit(member) ?? null]));
}

function memberOf(branches: readonly Schema[], name: string): Schema | undefined {
  const named = branches.flatMap((branch) => propertiesOf(branch).get(name) ?? []);
  const others = branches.map(additionalOf).filter((one) => typeof one === 'object');
  return named[0] ?? others[0];
}

/** The body that a handler got, with the bytes of its files. */
export async function readFiles(body: unknown): Promise<unknown> {
  if (body instanceof File) return Buffer.from(await body.arrayBuffer());
  if (Array.isArray(body)) return Promise.all(body.map(readFiles));
  if (!isJsonObject(body) || Buffer.isBuffer(body)) return body;
  const members = Object.entries(body).map(async ([name, member]) => [name, await readFiles(member)] as const);
  return Object.fromEntries(await Promise.all(members));
}
