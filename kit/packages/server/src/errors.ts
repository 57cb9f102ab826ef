/**
 * The kit's refusals, for tools that check a contract. Unlike the index, this entry point loads neither Express nor the validator,
 * so such tools start faster.
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
