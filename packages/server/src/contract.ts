/**
 * The contract as the server reads it, for tools that generate from it or check it. It loads neither Express nor the
 * validator.
 *
 * @example
 * const document = parseYaml(readFileSync('openapi.yaml', 'utf8'), 'openapi.yaml') as Document;
 * const { operations, mistakes } = readOperations(document);
 */

// The document as it is written.
export { parseExactYaml, parsePart, parseYaml } from './contract/yaml/parse-yaml';
export { isData, isMapByName } from './contract/yaml/data';
export { findOutside } from './contract/yaml/parse-yaml';
export { exactValueOf } from './contract/yaml/exact-numbers';
export {
  resolveReference,
  type Document,
  type ParameterObject,
  type PathItem,
  type Reference,
  type Schema,
} from './contract/schema/document';
export { pathsOf, resolvePathItem } from './contract/schema/document';
export { ContractError, createPointers, Mistake } from './contract/text/mistake';
export { toPointerKey } from './contract/text/mistake';
export { findCatalogues } from './contract/schema/document';
export { findDialect } from './contract/schema/dialect';
export { findSchemas } from './contract/schema/find-schemas';
export { partsOf } from './contract/schema/parts';
export { toPlainDocument } from './contract/discriminator/plain-document';
export { subschemas } from './contract/schema/schema';
export { findSchemaAdvice } from './contract/advice';
export { createShape } from './contract/int64/create-shape';
export type { Shape } from './contract/int64/shape';
export { isInt64 } from './contract/json/int64';

// Its operations, and what is wrong with them.
export { listScopes } from './contract/operation/operation';
export { isPublic, METHODS, type Operation } from './contract/operation/operation';
export { readOperations } from './contract/operation/load-contract';
export { ANYTHING, readContent, type Media } from './contract/operation/content';
export { toFileName } from './contract/operation/operation-id';
export { isIgnored } from './contract/operation/parameters';

// The refusals of the kit, as the contract declares them.
export { REFUSALS, type RefusalKind } from './errors/refusal';
export { CATALOGUE_KINDS } from './errors/create-renderer';
export { createRenderer } from './errors/create-renderer';
export { findBuiltInErrors, findUndeclaredStatuses, type BuiltInError } from './errors/built-in-replies';
