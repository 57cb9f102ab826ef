// The value that a schema describes. All its schemas together decide which of its properties are excluded.
import type { Document } from '../document/document';
import { holdsMarked, type Mark } from '../document/marks';
import { additionalSchemas, collectParts, itemSchemas } from '../document/parts';
import type { Schema } from '../document/schema';

export interface DescribedValue {
  /** All schemas that describe the value; empty if they exclude no property in it, at any depth. */
  readonly parts: readonly Schema[];
  /** The keyword that excludes a property: readOnly in a request, writeOnly in a reply. */
  readonly excluded: Mark;
  /** Whether the schema need not match, as one of an anyOf: then its defaults must not be filled in. */
  readonly isAlternative: boolean;
}

/** It has no parts if no schema excludes a property, so that copies of a schema for such values are the same. */
export function toDescribedValue(
  document: Document,
  schemas: readonly Schema[],
  { excluded, isAlternative }: Pick<DescribedValue, 'excluded' | 'isAlternative'>,
): DescribedValue {
  const parts = collectParts(document, schemas);
  const hasExcluded = parts.some((part) => holdsMarked(document, part, excluded));
  return { parts: hasExcluded ? parts : [], excluded, isAlternative };
}

/** The value below a keyword: for `items` an item, for `allOf` the same. Not `properties`: each is a value of its own. */
export function toValueBelow(document: Document, keyword: string, value: DescribedValue): DescribedValue {
  switch (keyword) {
    case 'allOf':
      return value;
    case 'items':
    case 'unevaluatedItems':
      return toDescribedValue(document, itemSchemas(value.parts), value);
    case 'contains':
      return { ...toDescribedValue(document, itemSchemas(value.parts), value), isAlternative: true };
    case 'additionalProperties':
    case 'unevaluatedProperties':
      return toDescribedValue(document, additionalSchemas(value.parts), value);
    // No schema below these may exclude a property: loading the contract refuses it.
    case 'prefixItems':
    case 'patternProperties':
    case 'propertyNames':
      return toDescribedValue(document, [], value);
    // anyOf, oneOf, not, if, then, else and dependentSchemas: schemas of the same value that it need not match.
    default:
      return { ...value, isAlternative: true };
  }
}
