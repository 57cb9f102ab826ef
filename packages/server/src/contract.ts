/**
 * The contract as the server reads it, for tools that generate from it or check it. It loads neither Express nor the
 * validator.
 *
 * @example
 * const document = parseYaml(readFileSync('openapi.yaml', 'utf8'), 'openapi.yaml') as Document;
 * const { operations, mistakes } = readOperations(document);
 */

// The document as it is written, and normalized.
export { exactValueOf, findOutside, indentBrackets, isData, isMapByName } from './contract/yaml/parse-yaml';
export { parsePart, parseYaml } from './contract/yaml/parse-yaml';
export { findCatalogues, pathsOf, resolvePathItem, resolveReference } from './contract/schema/document';
export type { Document, NormalizedDocument, ParameterObject, PathItem, Reference } from './contract/schema/document';
export { ContractError, createPointers, Mistake, toPointerKey } from './contract/text/mistake';
export { findDialect } from './contract/schema/supported';
export { findSchemas, inPlaceSchemasOf, schemasBelow } from './contract/schema/find-schemas';
export { toPlainDocument } from './contract/discriminator/plain-document';
export { isOpenApi30, subschemas, type NormalizedSchema, type WrittenSchema } from './contract/schema/schema';
export { findSchemaAdvice } from './contract/advice';
export { createShape } from './contract/int64/shape';
export type { Shape } from './contract/int64/shape';
export { isInt64 } from './contract/json/int64';

// Its operations, and what is wrong with them.
export { isPublic, listScopes, METHODS, type Operation } from './contract/operation/operation';
export { readOperations } from './contract/operation/load-contract';
export { createFindUsers, type FindUsers } from './contract/operation/scope';
export { ANYTHING, readContent, type Media } from './contract/operation/content';
export { toFileName } from './contract/operation/operation-id';
export { isIgnored } from './contract/operation/parameters';
export { makeSample, type SampleLeaf } from './contract/sample/sample';

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
