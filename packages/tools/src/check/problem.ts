/** A mistake in a contract, and the JSON pointer to it. */
export interface Problem {
  readonly pointer: string;
  readonly message: string;
}

export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(node: unknown): node is JsonObject {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

/** Appends keys to a JSON pointer (RFC 6901). */
export function pointerTo(pointer: string, ...keys: readonly string[]): string {
  return [pointer, ...keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}

/** The keys of a JSON pointer (RFC 6901): `#/paths/~1books` has the keys `paths` and `/books`. */
export function splitPointer(pointer: string): string[] {
  const escaped = pointer.split('/').slice(1);
  // Without empty keys, `#/` is the whole document, as `#` is.
  return escaped.filter((key) => key !== '').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
}
