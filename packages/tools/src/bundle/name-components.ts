// Names the components of a bundled contract.
import { basename, extname } from 'node:path';
import { toKeys } from '../check-contract/problem';
import type { Origin } from './contract-files';

/** By kind, such as schemas, and name. */
export type Components = Record<string, Record<string, unknown>>;

/**
 * Names the components that came from other files. The name is that of the part, or of the file; where several would have
 * the same, the path of the file comes before it. So it does not depend on which of them is referred to first.
 *
 * @param document changed
 * @param own the names of the components that the contract itself has, by kind: they stay
 * @param originOf where an object of the document is written
 */
export function nameComponents(
  document: { components?: Components },
  own: ReadonlyMap<string, ReadonlySet<string>>,
  originOf: (node: unknown) => Origin | undefined,
): void {
  const { components = {} } = document;
  const pointers = new Map<string, string>();
  for (const [kind, group] of Object.entries(components)) {
    const kept = own.get(kind) ?? new Set();
    const names = chooseNames(Object.entries(group), kept, originOf);
    for (const [old, name] of names) pointers.set(`#/components/${kind}/${old}`, `#/components/${kind}/${name}`);
    const [ours, brought] = [true, false].map((is) => [...names].filter(([old]) => kept.has(old) === is));
    const sorted = [...(ours ?? []), ...(brought ?? []).sort(([, one], [, other]) => (one < other ? -1 : 1))];
    components[kind] = Object.fromEntries(sorted.map(([old, name]) => [name, group[old]]));
  }
  redirect(document, pointers, new Set());
}

function chooseNames(
  group: readonly (readonly [string, unknown])[],
  kept: ReadonlySet<string>,
  originOf: (node: unknown) => Origin | undefined,
): ReadonlyMap<string, string> {
  const candidates = group.map(([old, node]) => {
    const origin = kept.has(old) ? undefined : originOf(node);
    return { old, short: origin ? toName([lastOf(origin)]) : old, long: origin ? toLongName(origin) : old };
  });
  const bySame = Map.groupBy(candidates, ({ short }) => short);
  const taken = new Set(kept);
  return new Map(
    candidates.map(({ old, short, long }) => {
      const name = bySame.get(short)?.length === 1 ? short : long;
      // Two paths may make the same name.
      const chosen = taken.has(name) ? old : name;
      taken.add(chosen);
      return [old, chosen];
    }),
  );
}

function lastOf({ file, pointer }: Origin): string {
  return toKeys(pointer).at(-1) ?? basename(withoutEnding(file.path));
}

function toLongName({ file, pointer }: Origin): string {
  return toName([withoutEnding(file.path), ...toKeys(pointer).slice(-1)]);
}

function withoutEnding(path: string): string {
  return path.slice(0, path.length - extname(path).length);
}

// OpenAPI, Components Object: the characters of a name.
function toName(parts: readonly string[]): string {
  return parts.join('_').replace(/[^A-Za-z0-9._-]+/g, '_');
}

function redirect(node: unknown, pointers: ReadonlyMap<string, string>, seen: Set<unknown>): void {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  const members = node as Record<string, unknown>;
  for (const [key, value] of Object.entries(members)) {
    const pointer = typeof value === 'string' ? pointers.get(value) : undefined;
    if (pointer !== undefined) members[key] = pointer;
    else redirect(value, pointers, seen);
  }
}
