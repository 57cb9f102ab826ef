export type JsonObject = Readonly<Record<string, unknown>>;

export function isObject(node: unknown): node is JsonObject {
  return typeof node === 'object' && node !== null && !Array.isArray(node);
}

/** A JSON pointer (RFC 6901), some steps further down. */
export function pointerTo(pointer: string, ...keys: readonly string[]): string {
  return [pointer, ...keys.map((key) => key.replaceAll('~', '~0').replaceAll('/', '~1'))].join('/');
}
