/**
 * The contract as the server reads it, for tools that generate from it or check it. It loads neither Express nor the
 * validator.
 *
 * @example
 * const document = parseYaml(readFileSync('openapi.yaml', 'utf8'), 'openapi.yaml') as Document;
 * const { operations, mistakes } = readOperations(document);
 */

// The document as it is written, and normalized.
export { exactValueOf, findReferences, indentBrackets, isRemote } from './contract/yaml/parse-yaml';
export { parsePart, parseYaml, REMOTE_MESSAGE } from './contract/yaml/parse-yaml';
export { findCatalogues, pathsOf, resolvePathItem, resolveReference } from './contract/schema/document';
export type { Document, NormalizedDocument, ParameterObject, PathItem } from './contract/schema/document';
export { ContractError, createPointers, Mistake, toPointerKey } from './contract/text/mistake';
export { findDialect } from './contract/schema/supported';
export { findSchemas, inPlaceSchemasOf, schemasBelow } from './contract/schema/find-schemas';
export { isOpenApi30, type NormalizedSchema, type WrittenSchema } from './contract/schema/schema';
export { findSchemaAdvice } from './contract/advice';

// Its operations, and what is wrong with them.
export { isPublic, listScopes, METHODS, type Operation } from './contract/operation/operation';
export { readOperations } from './contract/operation/load-contract';
export { createFindUsers, type FindUsers } from './contract/operation/scope';
export { ANYTHING, type Media } from './contract/operation/content';
export { toFileName } from './contract/operation/operation-id';
export { makeSample, toReplyValue } from './contract/sample/sample';

// The refusals of the kit, as the contract declares them.
export { REFUSALS, type RefusalKind } from './errors/refusal';
export { CATALOGUE_KINDS } from './errors/create-renderer';
export { createRenderer } from './errors/create-renderer';
export {
  findBuiltInErrors,
  findErrorHeaders,
  findUndeclaredStatuses,
  type BuiltInError,
} from './errors/built-in-replies';
