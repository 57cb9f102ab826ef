// Names the components of a bundled contract.
import { basename, extname } from 'node:path';
import { splitPointer } from '../diagnostics/finding';
import type { Origin } from './contract-files';

/** By kind, such as schemas, and name. */
export type Components = Record<string, Record<string, unknown>>;

/**
 * Renames the components that Redocly made of parts of other files, and the references to them. `Pet` of zoo.yaml
 * becomes Pet, or zoo_Pet if another file has a Pet too: so no name depends on which part is referred to first. A whole
 * file is named after the file. `ownNames`, those of the contract itself, stay.
 */
export function nameComponents(
  document: { components?: Components },
  ownNames: ReadonlyMap<string, ReadonlySet<string>>,
  originOf: (node: unknown) => Origin | undefined,
): void {
  const { components = {} } = document;
  const newPointers = new Map<string, string>();
  for (const [kind, group] of Object.entries(components)) {
    const kept = ownNames.get(kind) ?? new Set();
    const newNames = chooseNames(Object.entries(group), kept, originOf);
    for (const [old, name] of newNames) newPointers.set(`#/components/${kind}/${old}`, `#/components/${kind}/${name}`);
    const own = [...newNames].filter(([old]) => kept.has(old));
    const others = [...newNames].filter(([old]) => !kept.has(old));
    const sorted = [...own, ...others.sort(([, one], [, other]) => (one < other ? -1 : 1))];
    components[kind] = Object.fromEntries(sorted.map(([old, name]) => [name, group[old]]));
  }
  replaceReferences(document, newPointers, new Set());
}

// Returns the new names by the old ones: the short one, such as Pet, if it is unique, or else the long one, zoo_Pet.
function chooseNames(
  group: readonly (readonly [string, unknown])[],
  kept: ReadonlySet<string>,
  originOf: (node: unknown) => Origin | undefined,
): ReadonlyMap<string, string> {
  const candidates = group.map(([old, node]) => {
    const origin = kept.has(old) ? undefined : originOf(node);
    return { old, short: origin ? toShortName(origin) : old, long: origin ? toLongName(origin) : old };
  });
  const byShort = Map.groupBy(candidates, ({ short }) => short);
  const taken = new Set(kept);
  return new Map(
    candidates.map(({ old, short, long }) => {
      const name = byShort.get(short)?.length === 1 ? short : long;
      // Two paths may make the same long name, such as a_b.yaml and a/b.yaml: then the name that Redocly gave stays.
      const chosen = taken.has(name) ? old : name;
      taken.add(chosen);
      return [old, chosen];
    }),
  );
}

function toShortName({ file, pointer }: Origin): string {
  return toName([splitPointer(pointer).at(-1) ?? basename(withoutEnding(file.path))]);
}

function toLongName({ file, pointer }: Origin): string {
  return toName([withoutEnding(file.path), ...splitPointer(pointer).slice(-1)]);
}

function withoutEnding(path: string): string {
  return path.slice(0, path.length - extname(path).length);
}

// The characters that OpenAPI allows in the name of a component (Components Object).
function toName(parts: readonly string[]): string {
  return parts.join('_').replace(/[^A-Za-z0-9._-]+/g, '_');
}

// In `$ref`, and in discriminator mappings. The node may contain itself: `seen` has the visited objects.
function replaceReferences(node: unknown, newPointers: ReadonlyMap<string, string>, seen: Set<unknown>): void {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  const members = node as Record<string, unknown>;
  for (const [key, value] of Object.entries(members)) {
    const newPointer = typeof value === 'string' ? newPointers.get(value) : undefined;
    if (newPointer !== undefined) members[key] = newPointer;
    else replaceReferences(value, newPointers, seen);
  }
}
