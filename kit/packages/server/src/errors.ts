/**
 * The kit's refusals, for tools that check a contract. Unlike index.ts, this entry point does not load Express or the
 * validator, so those tools start faster.
 *
 * @example const missing = findUndeclaredStatuses(operation, createRenderer({ contract }))
 */
export { REFUSALS, type RefusalKind } from './errors/refusal';
export { createRenderer } from './errors/create-renderer';
export {
  findBuiltInErrors,
  findErrorHeaders,
  findUndeclaredStatuses,
  type BuiltInError,
} from './errors/built-in-replies';
