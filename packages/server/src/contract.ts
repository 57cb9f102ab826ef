/**
 * The contract as the server reads it, for tools that generate from it or check it. It loads neither Express nor the
 * validator.
 *
 * @example
 * const document = parseYaml(readFileSync('openapi.yaml', 'utf8'), 'openapi.yaml') as Document;
 * const { operations, mistakes } = readOperations(document);
 */

// The document as it is written.
export { parseExactYaml, parsePart, parseYaml } from './contract/document/parse-yaml';
export { isData, isMapByName } from './contract/document/data';
export { findOutside } from './contract/document/self-contained';
export { exactValueOf } from './contract/document/exact-numbers';
export {
  resolveReference,
  type Document,
  type ParameterObject,
  type PathItem,
  type Reference,
  type Schema,
} from './contract/document/document';
export { pathsOf, resolvePathItem } from './contract/document/path-item';
export { ContractError, createPointers, Mistake, pointerOf } from './contract/document/mistake';
export { toPointerKey } from './contract/text/pointer-key';
export { findCatalogues } from './contract/document/find-catalogues';
export { findDialect } from './contract/document/dialect';
export { findSchemas } from './contract/document/find-schemas';
export { partsOf } from './contract/document/parts';
export { toPlainDocument } from './contract/document/plain-document';
export { subschemas } from './contract/document/schema';
export { findSchemaAdvice } from './contract/document/schema-advice';
export { createShape } from './contract/document/shape-maker';
export type { Shape } from './contract/document/shape';
export { isInt64 } from './contract/json/int64';

// Its operations, and what is wrong with them.
export { listScopes } from './contract/operation/operation';
export { isPublic, METHODS, type Operation } from './contract/operation/operation';
export { readOperations } from './contract/operation/read-operations';
export { ANYTHING, readContent, type Media } from './contract/operation/content';
export { toFileName, toWords } from './contract/operation/operation-id';
export { isIgnored } from './contract/operation/parameters';

// The refusals of the kit, as the contract declares them.
export { REFUSALS, type RefusalKind } from './contract/refusal/refusal';
export { CATALOGUE_KINDS, createCatalogueRenderer } from './contract/refusal/create-renderer';
export { createRenderer } from './contract/refusal/create-renderer';
export { findOwnErrors, findUndeclaredStatuses, type OwnError } from './contract/refusal/own-replies';
