// Finds keywords of schemas that have no effect.
import { findFamilies, findTags } from './3-plain/discriminator';
import type { Document } from './2-resolve/document';
import { INTEGER_RANGES } from './4-shape/exact-rules';
import { createFindUsers } from './2-resolve/scope';
import {
  findDefault,
  findSchemas,
  CONDITIONAL_APPLICATORS,
  someSchemaBelow,
  tryResolve,
} from './2-resolve/find-schemas';
import { findInvalidDefault, isUnknownKeyword } from './2-resolve/supported';
import { TEXT_OF_FORMAT } from './sample/sample';
import { createToPointer, DocumentError } from './text/document-error';
import { isAnnotation, isOpenApi30, schemasOf, type WrittenSchema } from './2-resolve/schema';

/**
 * Finds schema keywords that have no effect. They are warnings: the contract can still be served.
 *
 * @param document as parseYaml returns it
 * @example for (const { message } of findSchemaAdvice(document)) console.log(message)
 */
export function findSchemaAdvice(document: Document): DocumentError[] {
  const families = findFamilies(document);
  const schemas = findSchemas(document);
  const tags = findTags(document, schemas);
  const is30 = isOpenApi30(document.openapi);
  const advice = [...schemas].flatMap((schema) => [
    ...(is30
      ? [...findReferenceSiblings(schema), ...findUselessNullable(document, schema)]
      : findUnknownKeywords(document, schema)),
    // A tag is the schema of the property that a discriminator reads.
    ...(tags.has(schema) ? findIgnoredAccessModes(schema) : []),
    // Children of a family refer to it in their allOf: its discriminator needs no list of alternatives.
    ...(families.has(schema) ? [] : findUselessDiscriminator(schema)),
    ...findUnfilledDefaults(document, schema),
    ...findInvalidDefault(schema, 'it is not filled in'),
  ]);
  return [...advice, ...findUncheckedFormats(document, schemas)];
}

/** The formats of texts that the server checks. @example CHECKED_FORMATS.has('date') // true */
export const CHECKED_FORMATS: ReadonlySet<string> = new Set([
  ...Object.keys(TEXT_OF_FORMAT),
  ...'iso-time iso-date-time uri-reference relative-json-pointer json-pointer-uri-fragment'.split(' '),
]);
// The others only say how a value is displayed or stored.
const STRING_FORMATS = new Set([...CHECKED_FORMATS, ...'binary password html commonmark'.split(' ')]);
const NUMBER_FORMATS = new Set([...Object.keys(INTEGER_RANGES), 'float', 'double']);
const MAX_USERS = 3;

/** Finds formats that are not checked for their type, if an operation uses them. Schemas with the same format share a message. */
function findUncheckedFormats(document: Document, schemas: ReadonlySet<WrittenSchema>): DocumentError[] {
  const findUsers = createFindUsers(document);
  const toPointer = createToPointer([document]);
  const used = [...schemas]
    .filter(hasUncheckedFormat)
    .map((schema) => ({ schema, users: findUsers(toPointer({ node: schema, key: undefined })) ?? [] }))
    .filter(({ users }) => users.length > 0);
  return [...Map.groupBy(used, ({ schema }) => String(schema.format))].flatMap(([format, uses]) => {
    const users = [...new Set(uses.flatMap((use) => use.users))];
    const others = users.length > MAX_USERS ? ` and ${String(users.length - MAX_USERS)} more` : '';
    const message = `the format ${format} is not checked (used by ${users.slice(0, MAX_USERS).join(', ')}${others}); add a pattern or another keyword`;
    return uses.map(({ schema }) => new DocumentError(schema, message, 'format'));
  });
}

function hasUncheckedFormat({ format, type = ['string', 'number'] }: WrittenSchema): boolean {
  if (format === undefined) return false;
  const isNumeric = (name: string): boolean => name === 'integer' || name === 'number';
  const isChecked = (name: string): boolean =>
    (name === 'string' && STRING_FORMATS.has(format)) || (isNumeric(name) && NUMBER_FORMATS.has(format));
  return ![type].flat().some(isChecked);
}

function findReferenceSiblings(schema: WrittenSchema): DocumentError[] {
  const siblings = Object.keys(schema).filter((keyword) => keyword !== '$ref' && !isAnnotation(keyword));
  if (schema.$ref === undefined || siblings.length === 0) return [];
  const keywords = siblings.join(', ');
  const message = `OpenAPI 3.0 ignores ${keywords} next to $ref; move the reference into an allOf, and keep ${keywords} next to the allOf`;
  return [new DocumentError(schema, message)];
}

/** Finds a nullable of OpenAPI 3.0 beside which another keyword does not allow null. */
function findUselessNullable(document: Document, schema: WrittenSchema): DocumentError[] {
  if (schema.nullable !== true) return [];
  const keyword = findKeywordWithoutNull(document, schema);
  if (keyword === undefined) return [];
  const remedy = keyword === 'enum' ? 'add null to it' : 'make its schemas nullable, too';
  const message = `nullable has no effect, because the ${keyword} beside it does not allow null; ${remedy}`;
  return [new DocumentError(schema, message, 'nullable')];
}

// The first keyword that does not allow null. A schema inside itself counts as one that does.
function findKeywordWithoutNull(
  document: Document,
  node: WrittenSchema,
  enclosing: readonly WrittenSchema[] = [],
): 'type' | 'enum' | 'allOf' | 'anyOf' | 'oneOf' | undefined {
  const schema = tryResolve(document, node);
  if (!schema || enclosing.includes(schema)) return undefined;
  const allowsNull = (one: WrittenSchema): boolean =>
    findKeywordWithoutNull(document, one, [...enclosing, schema]) === undefined;
  if (schema.type !== undefined && schema.nullable !== true) return 'type';
  if (schema.enum && !schema.enum.includes(null)) return 'enum';
  if (schema.allOf?.every(allowsNull) === false) return 'allOf';
  return (['anyOf', 'oneOf'] as const).find((keyword) => schema[keyword]?.some(allowsNull) === false);
}

/** Finds keywords that OpenAPI 3.1 does not define. In 3.0 they are errors, which assertSupportedSchema finds. */
function findUnknownKeywords(document: Document, schema: WrittenSchema): DocumentError[] {
  const unknown = Object.keys(schema).filter((keyword) => isUnknownKeyword(document, keyword));
  const nullable = "OpenAPI 3.1 ignores nullable, so null is rejected; write type: [..., 'null'] instead";
  return [
    ...unknown.map(
      (key) =>
        new DocumentError(schema, `the unknown schema keyword "${key}" has no effect; correct or remove it`, key),
    ),
    ...(schema.nullable === true ? [new DocumentError(schema, nullable, 'nullable')] : []),
  ];
}

function findIgnoredAccessModes(tag: WrittenSchema): DocumentError[] {
  const keywords = (['readOnly', 'writeOnly'] as const).filter((keyword) => tag[keyword] === true);
  return keywords.map((keyword) => {
    const message = `${keyword} is ignored here, because the discriminator reads this property in requests and responses; remove it`;
    return new DocumentError(tag, message, keyword);
  });
}

/** Finds a discriminator that has no references in a oneOf or anyOf next to it. */
function findUselessDiscriminator(schema: WrittenSchema): DocumentError[] {
  const { discriminator, oneOf = [], anyOf = [] } = schema;
  if (!discriminator || [...oneOf, ...anyOf].some(({ $ref }) => $ref !== undefined)) return [];
  const message = `the discriminator ${discriminator.propertyName} is ignored, because it has no schemas to choose from; refer to them in a oneOf next to it`;
  return [new DocumentError(schema, message, 'discriminator')];
}

/** Finds defaults of properties in alternatives, which are not filled in because a value need not match the alternative. */
function findUnfilledDefaults(document: Document, schema: WrittenSchema): DocumentError[] {
  const hasDefault = ({ properties = {} }: WrittenSchema): boolean =>
    Object.values(properties).some((property) => findDefault(document, property) !== undefined);
  const keywords = CONDITIONAL_APPLICATORS.filter((keyword) => {
    const alternatives = schemasOf(keyword, schema[keyword]) as WrittenSchema[];
    return alternatives.some((alternative) => someSchemaBelow(document, alternative, hasDefault));
  });
  return keywords.map((keyword) => {
    const message = `a default inside ${keyword} is not filled in; the handler gets the value as it was sent`;
    return new DocumentError(schema, message, keyword);
  });
}
