import openapiTS, { astToString, type OpenAPI3 } from 'openapi-typescript';
import ts from 'typescript';
import type { ErrorCatalogue } from './error-catalogue';

const BIGINT = ts.factory.createKeywordTypeNode(ts.SyntaxKind.BigIntKeyword);
const NULL = ts.factory.createLiteralTypeNode(ts.factory.createNull());

/**
 * The TypeScript types of a contract: openapi-typescript's, with three differences. An int64 is a `bigint`, since
 * a `number` cannot hold it; an error number is one of the catalogue; the names of the security schemes are a type.
 *
 * @param document the parsed contract
 * @returns the text of a declaration file
 */
export async function createApiTypes(document: OpenAPI3, catalogue: ErrorCatalogue): Promise<string> {
  const nodes = await openapiTS(structuredClone(document), {
    silent: true,
    transform(schema) {
      if ('x-error-catalogue' in schema) return numberUnion(catalogue);
      if (schema.format !== 'int64') return undefined;
      return isNullable(schema) ? ts.factory.createUnionTypeNode([BIGINT, NULL]) : BIGINT;
    },
  });
  const schemes = Object.keys(document.components?.securitySchemes ?? {}).map((name) => JSON.stringify(name));
  return `${astToString(nodes)}export type securitySchemes = ${schemes.join(' | ') || 'never'};\n`;
}

function numberUnion(catalogue: ErrorCatalogue): ts.UnionTypeNode {
  const numbers = Object.values(catalogue).map(({ number }) => number);
  return ts.factory.createUnionTypeNode(
    numbers.map((number) => ts.factory.createLiteralTypeNode(ts.factory.createNumericLiteral(number))),
  );
}

function isNullable(schema: { nullable?: boolean; type?: string | string[] }): boolean {
  return schema.nullable === true || (Array.isArray(schema.type) && schema.type.includes('null'));
}
