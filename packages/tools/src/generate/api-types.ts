// Generates the types of a contract, `generated/api.d.ts`.
import openapiTS, { type OpenAPI3, astToString } from 'openapi-typescript';
import {
  type NormalizedDocument as Document,
  type Operation,
  type ParameterObject,
  type PathItem,
  type Reference,
  type NormalizedSchema as Schema,
  isData,
  isMapByName,
  resolveReference,
} from '@contract-kit/server/contract';
import type { ErrorCatalogue } from '../lint/error-catalogue';
import { nameSchemas } from './named-schemas';
import { addRequiredProperties, matchesNothing, prepareProperties, replaceUnsupportedKeywords } from './typed-schemas';

import ts from 'typescript';

const BIGINT_NODE = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const NEVER_NODE = ts.factory.createKeywordTypeNode(ts.SyntaxKind.NeverKeyword);
const NULL_NODE = ts.factory.createLiteralTypeNode(ts.factory.createNull());

/** The format of schemas whose values are files of a form. */
export const FILE_FORMAT = 'x-file-of-a-form';

/** The format of schemas whose values are the bytes of a body. In JSON, `format: binary` is a string. */
export const BYTES_FORMAT = 'x-bytes-of-a-body';

const UNKNOWN_NODE = ts.factory.createKeywordTypeNode(ts.SyntaxKind.UnknownKeyword);
const INT64_NODES = new Map<string, ts.TypeNode>([
  ['integer', BIGINT_NODE],
  ['number', BIGINT_NODE],
  ['string', ts.factory.createKeywordTypeNode(ts.SyntaxKind.StringKeyword)],
  ['boolean', ts.factory.createKeywordTypeNode(ts.SyntaxKind.BooleanKeyword)],
  ['null', NULL_NODE],
]);

const CATALOGUE = ts.factory.createLiteralTypeNode(ts.factory.createStringLiteral('x-error-catalogue of openapi.yaml'));
const ERROR_NUMBER_NODE = ts.factory.createTypeReferenceNode('ErrorNumber', [CATALOGUE]);
const FILE_NODE = ts.factory.createTypeReferenceNode('File');
const BUFFER_NODE = ts.factory.createTypeReferenceNode('Buffer');

/**
 * Writes the TypeScript types of a contract: those of openapi-typescript, with some differences. An int64 is a
 * `bigint`, since a `number` cannot hold it. Bytes are a `Buffer`. An error number is one of the catalogue, and the
 * compiler's messages name the catalogue. A parameter with a default is always there. Each schema has a type with its
 * name; no request has what is readOnly, no reply what is writeOnly. More types have the names of the security schemes,
 * and the schemes of each operation.
 *
 * @returns the text of api.d.ts and of schemas.d.ts
 */
export async function createApiTypes(
  document: Document,
  operations: readonly Operation[],
  catalogue: ErrorCatalogue,
): Promise<{ readonly api: string; readonly schemas: string }> {
  const hasCatalogue = Object.keys(catalogue).length > 0;
  // Each of these rewrites the copy so that openapi-typescript makes the types that are described above.
  const copy = structuredClone(document);
  dropReferences(copy, copy);
  requireParametersWithDefaults(copy);
  prepareProperties(copy);
  replaceUnsupportedKeywords(copy);
  addRequiredProperties(copy);
  const nodes = await openapiTS(copy as unknown as OpenAPI3, {
    silent: true,
    readWriteMarkers: true,
    // typeMedia has set the formats for bytes and files.
    transform(schema) {
      if ('x-error-catalogue' in schema && hasCatalogue) return ERROR_NUMBER_NODE;
      if (schema.format === BYTES_FORMAT) return BUFFER_NODE;
      if (schema.format === FILE_FORMAT) return FILE_NODE;
      if (matchesNothing(schema as { readonly not?: unknown })) return NEVER_NODE;
      return schema.format === 'int64' ? toInt64Type(schema) : undefined;
    },
  }).catch((error: unknown) => {
    // Such as `hasOwnProperty` as the name of a property, which it calls.
    throw new Error(`openapi-typescript fails on this contract: ${(error as Error).message}`, { cause: error });
  });
  const { api, schemas } = nameSchemas(nodes);
  const schemes = Object.keys(document.components?.securitySchemes ?? {}).map((name) => JSON.stringify(name));
  const apiTypes = [
    `import type * as schemas from './schemas.js';\n`,
    hasCatalogue ? `import type { ErrorNumber } from './schemas.js';\n` : '',
    astToString(api),
    `export type securitySchemes = ${schemes.join(' | ') || 'never'};\n`,
    writeSecurityType(operations),
  ];
  const schemaTypes = [astToString(schemas), hasCatalogue ? writeErrorNumberType(catalogue) : '', 'export {};\n'];
  return { api: apiTypes.join(''), schemas: schemaTypes.join('') };
}

// Such as `"getPet": ["bearer"] | ["basic", "key"];`: the schemes that are needed together, in each alternative.
function writeSecurityType(operations: readonly Operation[]): string {
  const rows = operations.map(({ id, security }) => {
    const alternatives = security.map((needed) => `[${needed.map(({ scheme }) => JSON.stringify(scheme)).join(', ')}]`);
    return `    ${JSON.stringify(id)}: ${[...new Set(alternatives)].join(' | ') || '[]'};\n`;
  });
  return `export interface security {\n${rows.join('')}}\n`;
}

// A handler gets the default if the client sends no value: the type of the parameter is never undefined.
function requireParametersWithDefaults(copy: Document): void {
  // Parameters are listed in path items, in operations and in components.
  const owners = Object.values(copy.paths).flatMap((item) => [item, ...(Object.values(item) as PathItem[])]);
  const components = (copy.components ?? {}) as { readonly parameters?: Record<string, ParameterObject | Reference> };
  const nodes = [...owners.flatMap(({ parameters = [] }) => parameters), ...Object.values(components.parameters ?? {})];
  for (const node of nodes) {
    const parameter = resolveReference<ParameterObject>(copy, node);
    const schema = parameter.schema && resolveReference<Schema>(copy, parameter.schema);
    if (schema?.default !== undefined) Object.assign(parameter, { required: true });
  }
}

// A type parameter makes the compiler's messages name it, such as `ErrorNumber<"x-error-catalogue of openapi.yaml">`,
// instead of all numbers. The conditional type is always `never`: it only uses the parameter.
function writeErrorNumberType(catalogue: ErrorCatalogue): string {
  const numbers = Object.values(catalogue).map(({ number }) => `${String(number)} | `);
  return `/** A number of the error catalogue. */\nexport type ErrorNumber<Place extends string> = ${numbers.join('')}(Place extends never ? 0 : never);\n`;
}

// Without a `type` any value is allowed: openapi-typescript would make it a number.
function toInt64Type({
  type,
  nullable,
}: {
  readonly type?: string | string[];
  readonly nullable?: boolean;
}): ts.TypeNode {
  if (type === undefined) return UNKNOWN_NODE;
  const types = new Set([...[type].flat(), ...(nullable === true ? ['null'] : [])]);
  // A set: integer and number are both bigint.
  const nodes = new Set([...types].map((name) => INT64_NODES.get(name) ?? UNKNOWN_NODE));
  const [first = UNKNOWN_NODE, ...others] = nodes;
  return others.length === 0 ? first : ts.factory.createUnionTypeNode([first, ...others]);
}

/**
 * Changes `node`, a part of `copy`: an example, or other data, with a member `$ref` in it is left out, since the types do not
 * say it; and so is a reference to nowhere, which only what no operation needs has.
 */
function dropReferences(copy: Document, node: object, hasNames = false): void {
  for (const [key, value] of Object.entries(node) as [string, unknown][]) {
    if (!hasNames && key === '$ref' && !leadsSomewhere(copy, value)) Reflect.deleteProperty(node, key);
    if (typeof value !== 'object' || value === null) continue;
    const isDropped = !hasNames && isData(key, value) && JSON.stringify(value).includes('"$ref"');
    if (isDropped) Reflect.deleteProperty(node, key);
    else dropReferences(copy, value, !hasNames && isMapByName(key, value));
  }
}

function leadsSomewhere(copy: Document, reference: unknown): boolean {
  try {
    return Boolean(resolveReference(copy, { $ref: String(reference) }));
  } catch {
    return false;
  }
}
