// A reference to a part of a file, such as `./pet.yaml#/Pet`.
import { dirname, posix, resolve } from 'node:path';

/** `/api/pet.yaml` for `./pet.yaml#/Pet` in `/api/openapi.yaml`; for `#/Pet`, the referring file itself. */
export function toReferencedPath(referring: string, reference: string): string {
  const [name = ''] = reference.split('#', 1);
  return name === '' ? referring : resolve(dirname(referring), decodePercent(name));
}

/** The fragment of a reference, such as `#/Pet` of `./pet.yaml#/Pet`; '' if it has none. */
export function toFragment(reference: string): string {
  const start = reference.indexOf('#');
  return start === -1 ? '' : reference.slice(start);
}

/** The reference from one file to another, by their paths in a folder, such as `../pet.yaml` from `a/b.yaml`. */
export function toReference(from: string, to: string): string {
  return posix.relative(posix.dirname(from), to).split('/').map(encodeURIComponent).join('/');
}

/** Decodes percent-encoded characters, such as `%20`. A text with a wrong encoding stays as it is. */
export function decodePercent(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
