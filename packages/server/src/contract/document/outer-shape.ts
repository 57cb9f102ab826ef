// Makes the shape of a value, still without the shapes of its properties and items.
import type { Document } from './document';
import { exactValueOf } from './exact-numbers';
import { holdsInt64, isInt64Schema, mayBeOtherNumber } from './int64-schema';
import { findMarked, holdsMarked, type Mark } from './marks';
import type { Schema } from './schema';
import type { Shape } from './shape';
import { hasUniqueInt64s, readInt64Rules } from './unconditional-rules';

/** A shape to which properties and items are added. */
export type UnfinishedShape = { -readonly [Key in keyof Shape]: Shape[Key] };

interface ValueSchemas {
  readonly document: Document;
  /** The schemas that the value matches. */
  readonly schemas: readonly Schema[];
  /** All that describe the value: also those in the allOf, anyOf and the like of `schemas`. */
  readonly parts: readonly Schema[];
  readonly mark: Mark | undefined;
  /** Whether a valid value need not match a schema, such as an alternative of anyOf. */
  readonly isConditional: (schema: Schema) => boolean;
}

/** @throws Mistake when a rule for int64s is conditional */
export function createOuterShape(value: ValueSchemas): UnfinishedShape {
  const { document, schemas, parts, mark, isConditional } = value;
  const isInt64 = parts.some(isInt64Schema);
  const declaresProperties = parts.some((part) => part.properties ?? part.patternProperties);
  return {
    isInt64,
    isOtherNumber: schemas.some((schema) => mayBeOtherNumber(document, schema)),
    rules: isInt64 ? parts.flatMap((part) => readInt64Rules(part, isConditional)) : [],
    exactDefault: parts.map((part) => exactValueOf(part, 'default')).find((one) => typeof one === 'bigint'),
    holdsInt64: parts.some((part) => holdsInt64(document, part)),
    types: new Set(parts.flatMap(({ type = [] }) => type)),
    properties: new Map(),
    patterns: [],
    others: undefined,
    firstItems: [],
    items: undefined,
    isUnique: parts.some((part) => hasUniqueInt64s(document, part, isConditional)),
    isOpen: parts.some(allowsUndeclared) || !declaresProperties,
    variants: undefined,
    excluded: findMarked(document, parts, mark),
    holdsExcluded: parts.some((part) => holdsMarked(document, part, mark)),
  };
}

function allowsUndeclared({ additionalProperties, unevaluatedProperties }: Schema): boolean {
  return [additionalProperties, unevaluatedProperties].some((one) => one !== undefined && one !== false);
}
