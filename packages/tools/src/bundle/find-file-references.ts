// Finds the references to files in a parsed file of a contract.
import { listOutside } from '@contract-kit/server/contract';
import { isObject, pointerTo } from '../check-contract/problem';

/** A reference such as `./pet.yaml#/Pet`. */
export interface FileReference {
  readonly reference: string;
  /** The JSON pointer to its text. */
  readonly pointer: string;
}

/** Finds them in the order of the file, also where a discriminator maps to them. */
export function* findFileReferences(node: unknown, pointer = '#', seen = new Set<object>()): Generator<FileReference> {
  // YAML aliases make one object appear twice: its first place counts.
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  for (const [key, value] of Object.entries(node)) {
    const location = pointerTo(pointer, key);
    // In one member: listOutside knows the keys that may hold references, such as `$ref`.
    for (const reference of new Set(listOutside(key, value))) {
      for (const place of findTexts(value, reference, location)) yield { reference, pointer: place };
    }
    yield* findFileReferences(value, location, seen);
  }
}

// The reference is the value itself, or is within a discriminator, where several names may lead to it.
function findTexts(value: unknown, reference: string, location: string): string[] {
  if (!isObject(value)) return [location];
  const { mapping, defaultMapping } = value;
  const targets = Object.entries(mapping ?? {}).filter(([, target]) => target === reference);
  const places = targets.map(([name]) => pointerTo(location, 'mapping', name));
  return defaultMapping === reference ? [...places, pointerTo(location, 'defaultMapping')] : places;
}
