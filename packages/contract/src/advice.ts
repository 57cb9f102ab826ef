// Finds what of a schema is ignored.
import { findFamilies, findTags } from './discriminator/discriminator';
import type { Document } from './schema/document';
import { INTEGER_RANGES } from './int64/exact-rules';
import { METHODS } from './operation/operation';
import { createFindUsers } from './operation/scope';
import { findSchemas, CONDITIONAL_APPLICATORS, someSchemaBelow } from './schema/find-schemas';
import { findInvalidDefault, isUnknownKeyword } from './schema/supported';
import { createPointers, Mistake } from './text/mistake';
import { isAnnotation, isOpenApi30, schemasOf, type WrittenSchema } from './schema/schema';

/**
 * Finds keywords of a contract that are ignored. They are warnings: it can be served.
 *
 * @param document as parseYaml returns it
 * @example for (const { message } of findSchemaAdvice(document)) console.log(message)
 */
export function findSchemaAdvice(document: Document): Mistake[] {
  const families = findFamilies(document);
  const schemas = findSchemas(document);
  const tags = findTags(document, schemas);
  const is30 = isOpenApi30(document.openapi);
  const ofSchemas = [...schemas].flatMap((schema) => [
    ...(is30 ? findIgnoredBesideReference(schema) : findLeftFrom30(document, schema)),
    // A tag is the schema of a property that a discriminator reads.
    ...(tags.has(schema) ? findMarksOfTag(schema) : []),
    // Children of a family refer to it in their allOf: its discriminator needs no list of alternatives.
    ...(families.has(schema) ? [] : findUselessDiscriminator(schema)),
    ...findUnfilledDefaults(document, schema),
    ...findInvalidDefault(schema, 'it is not filled in'),
  ]);
  return [...ofSchemas, ...findUncheckedFormats(document, schemas)];
}

// What the server judges, and what only tells people or code how a value is shown or held.
const STRING_FORMATS = new Set(
  [
    'date time date-time iso-time iso-date-time duration email hostname ipv4 ipv6 uri uri-reference uri-template uuid',
    'json-pointer relative-json-pointer json-pointer-uri-fragment regex byte binary password html commonmark',
  ].flatMap((line) => line.split(' ')),
);
const NUMBER_FORMATS = new Set([...Object.keys(INTEGER_RANGES), 'float', 'double']);
const MAX_USERS = 3;

/** Finds formats that are annotations only, for their type, where an operation uses them: the same message for each of a name. */
function findUncheckedFormats(document: Document, schemas: ReadonlySet<WrittenSchema>): Mistake[] {
  const findUsers = createFindUsers(document, METHODS);
  const toPointer = createPointers([document]);
  const used = [...schemas]
    .filter(hasUncheckedFormat)
    .map((schema) => ({ schema, users: findUsers(toPointer({ node: schema, key: undefined })) ?? ['all operations'] }))
    .filter(({ users }) => users.length > 0);
  return [...Map.groupBy(used, ({ schema }) => String(schema.format))].flatMap(([format, ofFormat]) => {
    const users = [...new Set(ofFormat.flatMap((one) => one.users))];
    const others = users.length > MAX_USERS ? ` and ${String(users.length - MAX_USERS)} more` : '';
    const message = `nothing checks the format ${format}, of ${users.slice(0, MAX_USERS).join(', ')}${others}: say what is right by other keywords, such as pattern`;
    return ofFormat.map(({ schema }) => new Mistake(schema, message, 'format'));
  });
}

function hasUncheckedFormat({ format, type = ['string', 'number'] }: WrittenSchema): boolean {
  if (format === undefined) return false;
  const isNumber = (one: string): boolean => one === 'integer' || one === 'number';
  const isKnown = (one: string): boolean =>
    (one === 'string' && STRING_FORMATS.has(format)) || (isNumber(one) && NUMBER_FORMATS.has(format));
  return ![type].flat().some(isKnown);
}

function findIgnoredBesideReference(schema: WrittenSchema): Mistake[] {
  const siblings = Object.keys(schema).filter((keyword) => keyword !== '$ref' && !isAnnotation(keyword));
  if (schema.$ref === undefined || siblings.length === 0) return [];
  const keywords = siblings.join(', ');
  const message = `OpenAPI 3.0 ignores ${keywords} next to $ref: write an allOf with the reference, and ${keywords} next to it`;
  return [new Mistake(schema, message)];
}

/** Finds keywords that OpenAPI 3.1 does not know. In 3.0 they are mistakes, which assertSupportedSchema finds. */
function findLeftFrom30(document: Document, schema: WrittenSchema): Mistake[] {
  const unknown = Object.keys(schema).filter((keyword) => isUnknownKeyword(document, keyword));
  const nullable = "OpenAPI 3.1 has no nullable, so null is refused: write type: [..., 'null']";
  return [
    ...unknown.map((key) => new Mistake(schema, `OpenAPI 3.1 has no schema keyword ${key}: it is ignored`, key)),
    ...(schema.nullable === true ? [new Mistake(schema, nullable, 'nullable')] : []),
  ];
}

function findMarksOfTag(tag: WrittenSchema): Mistake[] {
  const marks = (['readOnly', 'writeOnly'] as const).filter((mark) => tag[mark] === true);
  return marks.map((mark) => {
    const message = `${mark} has no effect here, because requests and responses both need the property that a discriminator reads: remove it`;
    return new Mistake(tag, message, mark);
  });
}

/** Finds a discriminator without referenced alternatives. */
function findUselessDiscriminator(schema: WrittenSchema): Mistake[] {
  const { discriminator, oneOf = [], anyOf = [] } = schema;
  if (!discriminator || [...oneOf, ...anyOf].some(({ $ref }) => $ref !== undefined)) return [];
  const message = `${discriminator.propertyName} does not select a schema here, and is not checked: refer to the schemas in oneOf`;
  return [new Mistake(schema, message, 'discriminator')];
}

/** Finds defaults of properties in alternatives: they are not filled in, since a value need not match the alternative. */
function findUnfilledDefaults(document: Document, schema: WrittenSchema): Mistake[] {
  const hasDefault = ({ properties = {} }: WrittenSchema): boolean =>
    Object.values(properties).some((property) => property.default !== undefined);
  const keywords = CONDITIONAL_APPLICATORS.filter((keyword) => {
    const alternatives = schemasOf(keyword, schema[keyword]) as WrittenSchema[];
    return alternatives.some((alternative) => someSchemaBelow(document, alternative, hasDefault));
  });
  return keywords.map((keyword) => {
    const message = `a default inside ${keyword} is not filled in: the handler gets what was sent`;
    return new Mistake(schema, message, keyword);
  });
}
