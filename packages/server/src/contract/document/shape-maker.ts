import { createAmbiguityCheck } from './ambiguous-int64';
import { resolveReference, type Document } from './document';
import { exactOf } from './exact-numbers';
import { exactRulesOf, hasExactItems, type ExactRule } from './exact-rules';
import { findConditional } from './find-conditional';
import { holdsInt64, isInt64Schema, mayBeOtherNumber } from './int64-schema';
import { assertMarkedAlike, findMarked, holdsMarked, type Mark } from './marks';
import { Mistake } from './mistake';
import { itemsOf, joinParts, matchingOf, membersOf, othersOf, partsOf } from './parts';
import type { Schema } from './schema';
import { toRegExp } from '../text/to-reg-exp';
import { assertSupportedSchema } from './schema-support';
import type { Shape } from './shape';
import { findTaggedUnion, narrow } from './tagged-union';

/** `isOfRoot` says that parts of a shape are as they are because of the schema around them. */
export type ShapeMaker = (root: Schema) => { readonly shape: Shape; readonly isOfRoot: boolean };

export function createShapeMaker(document: Document, excluded: Mark | undefined): ShapeMaker {
  const ids = new Map<Schema, number>();
  const known = new Map<string, Shape>();
  const supported = new Set<Schema>();
  const { check, assertNone } = createAmbiguityCheck(document, shapeOf, excluded);
  let root: Schema;
  let conditional: ReadonlySet<Schema> | undefined;
  return (schema) => {
    root = schema;
    assertSupportedSchema(document, schema, supported);
    const shape = shapeOf([schema]);
    assertNone();
    return { shape, isOfRoot: conditional !== undefined };
  };

  // Cached by the set of schemas, so that recursive schemas terminate.
  function shapeOf(schemas: readonly Schema[]): Shape {
    const key = [...new Set(schemas.map(idOf))].join();
    const seen = known.get(key);
    if (seen) return seen;

    const parts = joinParts(document, schemas);
    if (excluded) assertMarkedAlike(document, parts, excluded);
    const marked = findMarked(document, parts, excluded);
    const properties = new Map<string, Shape>();
    const isInt64 = parts.some(isInt64Schema);
    const defaults = parts.map((part) => exactOf(part, 'default')).filter((value) => typeof value === 'bigint');
    const shape = {
      isInt64,
      isOtherNumber: schemas.some((one) => mayBeOtherNumber(document, one)),
      rules: isInt64 ? parts.flatMap(readRules) : [],
      exactDefault: defaults[0],
      holdsInt64: parts.some((part) => holdsInt64(document, part)),
      types: new Set(parts.flatMap(({ type = [] }) => type)),
      properties,
      patterns: [] as Shape['patterns'],
      others: undefined as Shape | undefined,
      firstItems: [] as readonly Shape[],
      items: undefined as Shape | undefined,
      isUnique: parts.some(hasUniqueItems),
      isOpen: parts.some(isOpen) || !parts.some((part) => part.properties ?? part.patternProperties),
      variants: undefined as Shape['variants'],
      excluded: marked,
      holdsExcluded: parts.some((part) => holdsMarked(document, part, excluded)),
    };
    known.set(key, shape);
    for (const name of new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})))) {
      if (!marked.has(name)) properties.set(name, shapeOf(membersOf(parts, name)));
    }
    shape.patterns = [...new Set(parts.flatMap((part) => Object.keys(part.patternProperties ?? {})))].map(
      (pattern) => ({ pattern: toRegExp(pattern), shape: shapeOf(matchingOf(parts, pattern)) }),
    );
    const others = othersOf(parts);
    if (others.length > 0) shape.others = shapeOf(others);
    const count = Math.max(...parts.map(({ prefixItems = [] }) => prefixItems.length));
    shape.firstItems = Array.from({ length: count }, (_, index) => shapeOf(itemsOf(parts, index)));
    shape.items = shapeOf(itemsOf(parts));
    const union = findTaggedUnion(schemas.flatMap((one) => partsOf(document, one, ['allOf'])));
    if (union) {
      const { property, alternatives } = union;
      const narrowed = [...alternatives].map(([name, alternative]) => {
        return [name, shapeOf(schemas.map((one) => narrow(document, one, union, alternative)))] as const;
      });
      shape.variants = { property, shapes: new Map(narrowed) };
    }
    check(parts, union?.schema);
    return shape;
  }

  function readRules(part: Schema): ExactRule[] {
    const rules = exactRulesOf(part);
    const [keyword] = rules.keys();
    if (keyword === undefined) return [];
    const isOwn = isInt64Schema(part);
    if (isOwn && !isConditional(part)) return [...rules.values()];
    const where = isOwn ? 'inside an alternative: write it outside' : 'away from its format: write them together';
    throw new Mistake(part, `${keyword} is not checked by all digits of an int64 ${where}`, keyword);
  }

  function hasUniqueItems(part: Schema): boolean {
    if (!hasExactItems(document, part)) return false;
    if (!isConditional(part)) return true;
    throw new Mistake(part, 'uniqueItems inside an alternative cannot tell int64s apart exactly', 'uniqueItems');
  }

  function isConditional(part: Schema): boolean {
    conditional ??= findConditional(document, root);
    return conditional.has(part);
  }

  function idOf(node: Schema): number {
    const schema = resolveReference(document, node);
    const id = ids.get(schema) ?? ids.size;
    ids.set(schema, id);
    return id;
  }
}

function isOpen({ additionalProperties, unevaluatedProperties }: Schema): boolean {
  return [additionalProperties, unevaluatedProperties].some((one) => one !== undefined && one !== false);
}
