/**
 * The refusals of the kit, as a contract declares them, for tools. It loads neither Express nor the validator, which the
 * index does: a check of a contract would start later.
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
