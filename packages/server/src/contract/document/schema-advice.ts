import { findAlike } from './alike-alternatives';
import { findTags, namesOf } from './discriminator';
import type { Document } from './document';
import { findFamilies } from './families';
import { findSchemas } from './find-schemas';
import { Mistake } from './mistake';
import { exactOf } from './exact-numbers';
import { isInt64Schema } from './int64-schema';
import { isAnnotation, isOldVersion, schemasOf } from './keywords';
import { ALTERNATIVES, holds } from './parts';
import type { Schema } from './schema';
import { isUnknown } from './schema-support';

/**
 * Finds keywords of a contract that have no effect, or another one than expected. They are no reason not to serve it.
 *
 * @param document as parseYaml returns it
 * @example for (const { message } of findSchemaAdvice(document)) console.log(message)
 */
export function findSchemaAdvice(document: Document): Mistake[] {
  const families = findFamilies(document);
  const schemas = findSchemas(document);
  const tags = findTags(document, schemas);
  return [...schemas].flatMap((schema) => [
    ...findIgnored(document, schema),
    ...findUnknown(document, schema),
    ...findRounded(schema),
    ...findMarkedTag(schema, tags),
    ...findUntagged(document, schema, families.has(schema)),
    ...findUnfilled(document, schema),
    ...findAlike(document, schema),
  ]);
}

function findIgnored({ openapi }: Document, schema: Schema): Mistake[] {
  const beside = Object.keys(schema).filter((keyword) => keyword !== '$ref' && !isAnnotation(keyword));
  if (schema.$ref === undefined || beside.length === 0 || !isOldVersion(openapi)) return [];
  const keywords = beside.join(', ');
  const message = `OpenAPI 3.0 ignores ${keywords} beside $ref: write allOf with the reference, and ${keywords} beside it`;
  return [new Mistake(schema, message)];
}

function findUnknown(document: Document, schema: Schema): Mistake[] {
  const { openapi } = document;
  if (isOldVersion(openapi)) return [];
  const unknown = Object.keys(schema).filter((keyword) => isUnknown(document, keyword));
  const mistakes = unknown.map((keyword) => {
    return new Mistake(schema, `OpenAPI 3.1 has no schema keyword ${keyword}: it is ignored`, keyword);
  });
  if (schema.nullable !== true) return mistakes;
  const message =
    "OpenAPI 3.1 has no nullable: it counts as in 3.0, but other tools ignore it; write type: [..., 'null']";
  return [...mistakes, new Mistake(schema, message, 'nullable')];
}

function findRounded(schema: Schema): Mistake[] {
  const isInteger = [schema.type].flat().includes('integer');
  if (!isInteger || isInt64Schema(schema)) return [];
  const rounded = Object.keys(schema).filter((keyword) => {
    return !isAnnotation(keyword) && [exactOf(schema, keyword)].flat().some((value) => typeof value === 'bigint');
  });
  return rounded.map((keyword) => {
    const message = `${keyword} is beyond 2^53, where numbers are rounded: give it the format int64, and all digits count`;
    return new Mistake(schema, message, keyword);
  });
}

function findMarkedTag(schema: Schema, tags: ReadonlySet<Schema>): Mistake[] {
  const marks = (['readOnly', 'writeOnly'] as const).filter((mark) => tags.has(schema) && schema[mark] === true);
  return marks.map((mark) => {
    const message = `${mark} does not count here: requests and replies need what a discriminator reads; leave it out`;
    return new Mistake(schema, message, mark);
  });
}

function findUntagged(document: Document, schema: Schema, isFamily: boolean): Mistake[] {
  const { discriminator, oneOf, anyOf } = schema;
  if (!discriminator || isFamily) return [];
  const listed = [...(oneOf ?? []), ...(anyOf ?? [])].filter(({ $ref }) => $ref !== undefined);
  const { propertyName } = discriminator;
  if (listed.length === 0) {
    const message = `${propertyName} tells no schemas apart here, and is not checked: refer to them in oneOf`;
    return [new Mistake(schema, message, 'discriminator')];
  }
  return listed.flatMap((node) => {
    if (namesOf(document, discriminator, String(node.$ref)).length > 0 || holds(document, node, isTagged)) return [];
    const message = `${propertyName} of this alternative cannot be its name: write a mapping, or an enum of its values`;
    return [new Mistake(node, message)];
  });

  // An alternative with a discriminator of its own is named by that.
  function isTagged(one: Schema): boolean {
    return one !== schema && one.discriminator?.propertyName === propertyName;
  }
}

function findUnfilled(document: Document, schema: Schema): Mistake[] {
  return ALTERNATIVES.flatMap((keyword) => {
    const alternatives = schemasOf(keyword, schema[keyword]) as Schema[];
    const isUnfilled = alternatives.some((one) => holds(document, one, hasDefault));
    if (!isUnfilled) return [];
    const message = `a default inside ${keyword} is not filled in: the handler gets what was sent`;
    return [new Mistake(schema, message, keyword)];
  });
}

function hasDefault({ properties = {} }: Schema): boolean {
  return Object.values(properties).some((property) => property.default !== undefined);
}
