// Names the components of a bundled contract.
import { basename, extname } from 'node:path';
import { toKeys } from '../check-contract/problem';
import type { Origin } from './contract-files';

/** By kind, such as schemas, and name. */
export type Components = Record<string, Record<string, unknown>>;

/**
 * Names the components that came from other files: by the key of the part, or else by the file. If several would have
 * the same name, the path of the file comes before it, so that no name depends on which component is referred to first.
 *
 * @param document changed
 * @param ownNames the names of the components that the contract itself has, by kind: they stay
 * @param originOf where an object of the document is written
 */
export function nameComponents(
  document: { components?: Components },
  ownNames: ReadonlyMap<string, ReadonlySet<string>>,
  originOf: (node: unknown) => Origin | undefined,
): void {
  const { components = {} } = document;
  const pointers = new Map<string, string>();
  for (const [kind, group] of Object.entries(components)) {
    const kept = ownNames.get(kind) ?? new Set();
    const names = chooseNames(Object.entries(group), kept, originOf);
    for (const [old, name] of names) pointers.set(`#/components/${kind}/${old}`, `#/components/${kind}/${name}`);
    const own = [...names].filter(([old]) => kept.has(old));
    const others = [...names].filter(([old]) => !kept.has(old));
    const sorted = [...own, ...others.sort(([, one], [, other]) => (one < other ? -1 : 1))];
    components[kind] = Object.fromEntries(sorted.map(([old, name]) => [name, group[old]]));
  }
  renameReferences(document, pointers, new Set());
}

/** @returns the new name of each component, by its old one */
function chooseNames(
  group: readonly (readonly [string, unknown])[],
  kept: ReadonlySet<string>,
  originOf: (node: unknown) => Origin | undefined,
): ReadonlyMap<string, string> {
  const candidates = group.map(([old, node]) => {
    const origin = kept.has(old) ? undefined : originOf(node);
    return { old, short: origin ? toName([lastKeyOf(origin)]) : old, long: origin ? toLongName(origin) : old };
  });
  const byShort = Map.groupBy(candidates, ({ short }) => short);
  const taken = new Set(kept);
  return new Map(
    candidates.map(({ old, short, long }) => {
      const name = byShort.get(short)?.length === 1 ? short : long;
      // Two paths may make the same long name.
      const chosen = taken.has(name) ? old : name;
      taken.add(chosen);
      return [old, chosen];
    }),
  );
}

function lastKeyOf({ file, pointer }: Origin): string {
  return toKeys(pointer).at(-1) ?? basename(withoutEnding(file.path));
}

function toLongName({ file, pointer }: Origin): string {
  return toName([withoutEnding(file.path), ...toKeys(pointer).slice(-1)]);
}

function withoutEnding(path: string): string {
  return path.slice(0, path.length - extname(path).length);
}

// The characters that OpenAPI allows in the name of a component (Components Object).
function toName(parts: readonly string[]): string {
  return parts.join('_').replace(/[^A-Za-z0-9._-]+/g, '_');
}

/** Replaces the old pointers, in `$ref` and in the mapping of discriminators. */
function renameReferences(node: unknown, pointers: ReadonlyMap<string, string>, seen: Set<unknown>): void {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  const members = node as Record<string, unknown>;
  for (const [key, value] of Object.entries(members)) {
    const pointer = typeof value === 'string' ? pointers.get(value) : undefined;
    if (pointer !== undefined) members[key] = pointer;
    else renameReferences(value, pointers, seen);
  }
}
