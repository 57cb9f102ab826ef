import { isOpenApi30, type Document } from './document';

// JSON Schema 2020-12 and OpenAPI 3.1, Schema Object.
const KEYWORDS = new Set(
  [
    '$schema $id $ref $anchor $dynamicRef $dynamicAnchor $vocabulary $comment $defs',
    'type const enum multipleOf minimum maximum exclusiveMinimum exclusiveMaximum minLength maxLength pattern format',
    'items prefixItems contains minContains maxContains minItems maxItems uniqueItems unevaluatedItems',
    'properties patternProperties additionalProperties propertyNames unevaluatedProperties required',
    'dependentRequired dependentSchemas minProperties maxProperties allOf anyOf oneOf not if then else',
    'title description default deprecated readOnly writeOnly examples',
    'contentEncoding contentMediaType contentSchema discriminator xml externalDocs example',
  ].flatMap((line) => line.split(' ')),
);

/**
 * Whether a member of a schema is one of its keywords. In OpenAPI 3.1 all others are annotations (JSON Schema, Core, section
 * 6.5), `nullable` of 3.0 among them; 3.0 allows no others.
 */
export function isKeyword(document: Pick<Document, 'openapi'>, name: string): boolean {
  return isOpenApi30(document) || KEYWORDS.has(name);
}
