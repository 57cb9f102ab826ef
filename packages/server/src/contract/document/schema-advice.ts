import { namesOf } from './discriminator';
import type { Document } from './document';
import { findFamilies } from './families';
import { findSchemas } from './find-schemas';
import { Mistake } from './mistake';
import { isAnnotation } from './keywords';
import { holds } from './parts';
import type { Schema } from './schema';
import { isUnknown } from './schema-support';

/**
 * What schemas of a contract say that has no effect, each with its place. It is no reason not to serve them.
 *
 * @param document as it is written
 * @example for (const { message } of findSchemaAdvice(document)) console.log(message)
 */
export function findSchemaAdvice(document: Document): Mistake[] {
  const families = findFamilies(document);
  return [...findSchemas(document)].flatMap((schema) => [
    ...findIgnored(document, schema),
    ...findUnknown(document, schema),
    ...findUntagged(document, schema, families.has(schema)),
    ...findUnfilled(document, schema),
  ]);
}

function findIgnored({ openapi }: Document, schema: Schema): Mistake[] {
  const beside = Object.keys(schema).filter((keyword) => keyword !== '$ref' && !isAnnotation(keyword));
  if (schema.$ref === undefined || beside.length === 0 || !openapi.startsWith('3.0')) return [];
  const keywords = beside.join(', ');
  const message = `OpenAPI 3.0 ignores ${keywords} beside $ref: write allOf with the reference, and ${keywords} beside it`;
  return [new Mistake(schema, message)];
}

function findUnknown(document: Document, schema: Schema): Mistake[] {
  const unknown = Object.keys(schema).filter((keyword) => isUnknown(document, keyword));
  return unknown.map((keyword) => {
    const instead = keyword === 'nullable' ? ": write 'null' as one of its types" : '';
    return new Mistake(schema, `${keyword} says nothing in OpenAPI 3.1${instead}`, keyword);
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

  // What has a discriminator of its own has names by that.
  function isTagged(one: Schema): boolean {
    return one !== schema && one.discriminator?.propertyName === propertyName;
  }
}

function findUnfilled(document: Document, schema: Schema): Mistake[] {
  return (['oneOf', 'anyOf'] as const).flatMap((keyword) => {
    const alternatives = schema[keyword] ?? [];
    const isUnfilled = alternatives.some((one) => holds(document, one, hasDefault));
    if (!isUnfilled) return [];
    const message = `a default inside ${keyword} is not filled in: the handler gets what was sent`;
    return [new Mistake(schema, message, keyword)];
  });
}

function hasDefault({ properties = {} }: Schema): boolean {
  return Object.values(properties).some((property) => property.default !== undefined);
}
