// Finds what a schema could say better.
import { discriminatorValuesOf, findTags, findFamilies, listTags } from './discriminator/discriminator';
import { resolveReference, type Document } from './schema/document';
import { findSchemas, CONDITIONAL_APPLICATORS, someSchemaBelow } from './schema/find-schemas';
import { findInvalidDefault, isUnknownKeyword } from './schema/supported';
import { Mistake } from './text/mistake';
import { exactValueOf } from './yaml/parse-yaml';
import { isInt64Schema } from './int64/exact-rules';
import { isAnnotation, isObjectOrList, isOpenApi30, schemasOf, mapSchemas, type WrittenSchema } from './schema/schema';

/**
 * Finds keywords of a contract without effect, or with an unexpected one. They are warnings: it can be served.
 *
 * @param document as parseYaml returns it
 * @example for (const { message } of findSchemaAdvice(document)) console.log(message)
 */
export function findSchemaAdvice(document: Document): Mistake[] {
  const families = findFamilies(document);
  const schemas = findSchemas(document);
  const tags = findTags(document, schemas);
  const is30 = isOpenApi30(document.openapi);
  return [...schemas].flatMap((schema) => [
    ...(is30 ? findIgnoredBesideReference(schema) : findLeftFrom30(document, schema)),
    ...findRoundedNumbers(schema),
    ...(schema.enum?.length === 0
      ? [new Mistake(schema, 'no value is one of none: list what is allowed', 'enum')]
      : []),
    // A tag is the schema of a property that a discriminator reads.
    ...(tags.has(schema) ? findMarksOfTag(schema) : []),
    // Children of a family refer to it in their allOf: its discriminator needs no list of alternatives.
    ...(families.has(schema) ? [] : findUselessDiscriminator(document, schema)),
    ...findUnfilledDefaults(document, schema),
    ...findInvalidDefault(schema, 'it is not filled in'),
    ...findEqualAlternatives(document, schema),
  ]);
}

function findIgnoredBesideReference(schema: WrittenSchema): Mistake[] {
  const siblings = Object.keys(schema).filter((keyword) => keyword !== '$ref' && !isAnnotation(keyword));
  if (schema.$ref === undefined || siblings.length === 0) return [];
  const keywords = siblings.join(', ');
  const message = `OpenAPI 3.0 ignores ${keywords} beside $ref: write allOf with the reference, and ${keywords} beside it`;
  return [new Mistake(schema, message)];
}

/** Finds keywords that OpenAPI 3.1 does not know. In 3.0 they are mistakes, which assertSupportedSchema finds. */
function findLeftFrom30(document: Document, schema: WrittenSchema): Mistake[] {
  const unknown = Object.keys(schema).filter((keyword) => isUnknownKeyword(document, keyword));
  const nullable = "OpenAPI 3.1 has no nullable: it is ignored, and null refused; write type: [..., 'null']";
  return [
    ...unknown.map((key) => new Mistake(schema, `OpenAPI 3.1 has no schema keyword ${key}: it is ignored`, key)),
    ...(schema.nullable === true ? [new Mistake(schema, nullable, 'nullable')] : []),
  ];
}

function findRoundedNumbers(schema: WrittenSchema): Mistake[] {
  if (![schema.type].flat().includes('integer') || isInt64Schema(schema)) return [];
  const rounded = Object.keys(schema).filter((keyword) => {
    const values = [exactValueOf(schema, keyword)].flat();
    return !isAnnotation(keyword) && values.some((value) => typeof value === 'bigint');
  });
  return rounded.map((keyword) => {
    const message = `${keyword} is beyond 2^53, where numbers are rounded: give it the format int64, and all digits count`;
    return new Mistake(schema, message, keyword);
  });
}

function findMarksOfTag(tag: WrittenSchema): Mistake[] {
  const marks = (['readOnly', 'writeOnly'] as const).filter((mark) => tag[mark] === true);
  return marks.map((mark) => {
    const message = `${mark} does not count here: requests and replies need what a discriminator reads; leave it out`;
    return new Mistake(tag, message, mark);
  });
}

/** Finds a discriminator without referenced alternatives, or with one that no value of its property can mean. */
function findUselessDiscriminator(document: Document, schema: WrittenSchema): Mistake[] {
  const { discriminator, oneOf = [], anyOf = [] } = schema;
  if (!discriminator) return [];
  const { propertyName } = discriminator;
  const references = [...oneOf, ...anyOf].filter(({ $ref }) => $ref !== undefined);
  if (references.length === 0) {
    const message = `${propertyName} tells no schemas apart here, and is not checked: refer to them in oneOf`;
    return [new Mistake(schema, message, 'discriminator')];
  }
  const unnamed = references.filter((reference) => {
    const values = discriminatorValuesOf(document, discriminator, String(reference.$ref));
    return values.length === 0 && !someSchemaBelow(document, reference, hasOwnDiscriminator);
  });
  return unnamed.map((reference) => {
    const [tag, ...others] = listTags(document, discriminator, String(reference.$ref));
    if (tag === undefined)
      return new Mistake(reference, `no ${propertyName} means this alternative: add one to the mapping`);
    const source = Object.hasOwn(discriminator.mapping ?? {}, tag) ? 'the mapping' : 'its name';
    const needed = `${propertyName} of this alternative has to be ${[tag, ...others].join(' or ')}, as ${source} says`;
    return new Mistake(reference, `${needed}, which its schema does not allow: map a value that it allows`);
  });

  // An alternative with a discriminator of its own for the same property is named by that.
  function hasOwnDiscriminator(alternative: WrittenSchema): boolean {
    return alternative !== schema && alternative.discriminator?.propertyName === propertyName;
  }
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

/** Finds a `oneOf` whose alternatives have the same rules: no value matches exactly one, unless a discriminator decides. */
function findEqualAlternatives(document: Document, schema: WrittenSchema): Mistake[] {
  const alternatives = schemasOf('oneOf', schema.oneOf);
  if (alternatives.length < 2 || schema.discriminator) return [];
  const rulesAsText = alternatives.map((alternative) => {
    const resolved = isObjectOrList(alternative) ? resolveReference(document, alternative) : alternative;
    return JSON.stringify(removeAnnotations(resolved));
  });
  if (new Set(rulesAsText).size > 1) return [];
  const message = 'these alternatives have the same rules, so that no value matches exactly one: write anyOf';
  return [new Mistake(schema, message, 'oneOf')];
}

// Removes title, default and the like, so that only the keywords that restrict values stay.
function removeAnnotations(schema: unknown): unknown {
  if (!isObjectOrList(schema)) return schema;
  const rules = Object.entries(schema).filter(([keyword]) => keyword !== 'default' && !isAnnotation(keyword));
  return Object.fromEntries(
    rules.map(([keyword, value]: [string, unknown]) => {
      const containsSchemas = schemasOf(keyword, value).length > 0;
      return [keyword, containsSchemas ? mapSchemas(keyword, value, removeAnnotations) : value];
    }),
  );
}
