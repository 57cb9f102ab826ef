/**
 * Reads the schemas and operations of an OpenAPI contract, and finds its errors. Its only dependency is js-yaml.
 *
 * @example
 * const document = parseYaml(readFileSync('openapi.yaml', 'utf8'), 'openapi.yaml') as Document;
 * const { operations, errors } = readOperations(document);
 */

// Errors, headers and URIs.
export {
  headerTexts,
  isBearerToken,
  parseCookies,
  BROWSER_PAIR,
  parseHeaderValue,
  type HeaderFields,
  type HeaderValue,
} from './text/header-value';
export { ExpectedError, type ErrorCode } from './text/error-code';
export {
  ContractError,
  DocumentError,
  DocumentErrors,
  createToPointer,
  fromPointerKey,
  toPointerKey,
} from './text/document-error';
export { decodeUnreserved, splitPairs, toRequestPath, tryDecode, tryDecodeForm } from './text/uri';

// Parsing, with exact integers.
export {
  exactValueOf,
  findReferences,
  indentBrackets,
  localizeReferences,
  parsePart,
  whyUnfollowed,
  parseYaml,
  toExact,
} from './1-parse/parse-yaml';

// The document and its schemas.
export {
  pathsOf,
  resolvePathItem,
  resolveReference,
  type Document,
  type JsonEvents,
  type NormalizedDocument,
  type ParameterObject,
  type PathItem,
  type SecurityScheme,
} from './2-resolve/document';
export {
  additionalSchemas,
  collectInPlaceSchemas,
  findDefault,
  findSchemas,
  inPlaceSchemasOf,
  itemSchemas,
  propertySchemas,
  subschemasOf,
  someSchemaBelow,
} from './2-resolve/find-schemas';
export { findPatternError } from './2-resolve/foreign-pattern';
export { findExcludedProperties, findExcludingSchemas, type AccessMode } from './2-resolve/read-write-only';
export {
  KEYWORDS,
  isAnnotation,
  isObjectOrArray,
  isOpenApi30,
  mapSchemas,
  mapValues,
  omitKeywords,
  schemasOf,
  subschemas,
  toRegExp,
  type NormalizedSchema,
  type ValidatorSchema,
  type WrittenSchema,
} from './2-resolve/schema';
export { toTerminalJson, toTerminalText } from './text/terminal-text';
export { operationsOf, type PathOperation } from './2-resolve/path-item';
export { INHERITED_NAMES, jsonTypesOf } from './2-resolve/supported';

export { propertiesNamed } from './3-plain/discriminator';

// Integer formats, and the shapes of values.
export { INTEGER_RANGES, isInt64Format, mayBeNumber } from './4-shape/integer-formats';
export { createShape, describesUndeclared, itemShape, narrowShape, propertyShape, type Shape } from './4-shape/shape';

// JSON with exact int64s.
export { JsonError, assertUnicode, parseExactJson, readUtf8, toExactJson } from './json/exact-json';
export {
  areUnique,
  createValueKeys,
  describeInteger,
  holdsBigint,
  isIntegerFormat,
  isIntegerOf,
  mayBeRounded,
  readScalar,
  setMember,
  type ToValueKey,
} from './json/int64';

// Operations and their messages.
export { ANYTHING, type Media } from './5-messages/content';
export type { Credentials, CredentialsCarrier } from './5-messages/credentials';
export { FILE, findPart, type FormPart, type PartKinds } from './5-messages/form';
export {
  digestText,
  loadContract,
  readOperations,
  toUnixLines,
  type Contract,
  type ContractIdentity,
} from './load-contract';
export { JSON_TYPE, isJson, isRange, parseMediaType, rank, type Framing } from './5-messages/media-type';
export {
  GROUPS,
  bodySchemaOf,
  findMedia,
  findReply,
  isConnectionHeader,
  isContentLength,
  isKitHeader,
  mayDeclareErrors,
  type BodyMedia,
  type DeclaredBody,
  type DeclaredReply,
  type Groups,
  type KitHeader,
  type MessageSchema,
  type ReplyHeader,
  type ReplyMedia,
  type StatusesOf,
} from './5-messages/message';
export { toFileName } from './5-messages/operation-id';
export {
  isPublic,
  listNotServed,
  listPublic,
  listScopes,
  messagesOf,
  readAllOperations,
  toKeyWithServer,
  type Operation,
} from './5-messages/operation';
export {
  mayBeArrayOrObject,
  acceptsUndeclaredNames,
  type Notation,
  type Parameter,
  type ParameterLocation,
  type Style,
} from './5-messages/parameters';
export { parseTemplate, type Segment, type TemplateSegment } from './5-messages/path-template';
export { createFindUsers } from './2-resolve/scope';

// Sample values.
export { CHECKED_FORMATS, makeSample, toReplyValue, type SampleOptions } from './sample/sample';
