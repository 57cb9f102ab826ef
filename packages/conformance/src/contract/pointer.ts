import type { Json } from '../wire/json';

/** A JSON pointer (RFC 6901), as a URI fragment, one step deeper. */
export function deeper(pointer: string, ...keys: readonly (string | number)[]): string {
  return [
    pointer,
    ...keys.map((key) => String(key).replaceAll('%', '%25').replaceAll('~', '~0').replaceAll('/', '~1')),
  ].join('/');
}

/** @throws Error when the pointer leads nowhere */
export function resolvePointer(root: Json, pointer: string): Json {
  return pointer
    .split('/')
    .slice(1)
    .reduce<Json>((value, step) => {
      const key = decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~');
      const child =
        typeof value === 'object' && value !== null && Object.hasOwn(value, key)
          ? (value as Readonly<Record<string, Json>>)[key]
          : undefined;
      if (child === undefined) throw new Error(`${pointer} leads nowhere`);
      return child;
    }, root);
}
