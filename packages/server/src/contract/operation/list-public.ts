import { isPublic, type Operation } from './operation';

/** A field of a log line with the operations that may be called without credentials; no field if there are none. */
export function listPublic(operations: readonly Operation[]): { readonly public?: 'all operations' | string[] } {
  const names = operations.filter(isPublic).map(({ id }) => id);
  if (names.length === 0) return {};
  const isEachPublic = names.length === operations.length;
  return { public: isEachPublic ? 'all operations' : names };
}
