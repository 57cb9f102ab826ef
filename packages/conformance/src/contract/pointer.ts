import type { Json } from '../wire/json';
import { Untriable } from './untried';

/** A JSON pointer (RFC 6901), as a URI fragment, one step deeper. */
export function extendPointer(pointer: string, ...keys: readonly (string | number)[]): string {
  return [
    pointer,
    ...keys.map((key) => String(key).replaceAll('%', '%25').replaceAll('~', '~0').replaceAll('/', '~1')),
  ].join('/');
}

/** @throws Untriable when the pointer leads nowhere */
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

// A sign that is no encoding stands for itself.
function decodePercent(step: string): string {
  try {
    return decodeURIComponent(step);
  } catch {
    return step;
  }
}
