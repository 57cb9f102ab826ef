import type { Json } from '../wire/json';
import { Untriable } from './untried';

/** Appends keys to a JSON pointer in a URI fragment (RFC 6901 section 6). */
export function extendPointer(pointer: string, ...keys: readonly (string | number)[]): string {
  return [
    pointer,
    ...keys.map((key) => String(key).replaceAll('%', '%25').replaceAll('~', '~0').replaceAll('/', '~1')),
  ].join('/');
}

/** @throws Untriable when the target does not exist */
export function resolvePointer(root: Json, pointer: string): Json {
  return pointer
    .split('/')
    .slice(1)
    .reduce<Json>((value, step) => {
      const key = decodePercent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      const child =
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Readonly<Record<string, Json>>)[key]
          : undefined;
      if (child === undefined) throw new Untriable('references that lead nowhere', pointer);
      return child;
    }, root);
}

// A malformed percent encoding stands for itself.
function decodePercent(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
