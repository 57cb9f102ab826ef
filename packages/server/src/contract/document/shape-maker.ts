import { createAmbiguityCheck } from './ambiguous-int64';
import { resolveReference, type Document } from './document';
import { exactOf } from './exact-numbers';
import { exactRulesOf, hasExactItems, type ExactRule } from './exact-rules';
import { findConditional } from './find-conditional';
import { holdsInt64, isInt64Schema, mayBeOtherNumber } from './int64-schema';
import { assertMarkedAlike, findMarked, holdsMarked, type Mark } from './marks';
import { Mistake } from './mistake';
import { itemSchemas, collectParts, patternSchemas, propertySchemas, additionalSchemas, partsOf } from './parts';
import type { Schema } from './schema';
import { toRegExp } from '../text/to-reg-exp';
import { assertSupportedSchema } from './schema-support';
import type { Shape } from './shape';
import { findTaggedUnion, narrow } from './tagged-union';

/** `isOfRoot`: parts of the shape depend on the schema around them, so that no other schema may reuse them. */
export type ShapeMaker = (root: Schema) => { readonly shape: Shape; readonly isOfRoot: boolean };

/** @param mark the keyword of properties that the values must not have: readOnly in a request, writeOnly in a reply */
export function createShapeMaker(document: Document, mark: Mark | undefined): ShapeMaker {
  const ids = new Map<Schema, number>();
  const known = new Map<string, Shape>();
  const supported = new Set<Schema>();
  const { addPending, assertPending } = createAmbiguityCheck(document, shapeOf, mark);
  let root: Schema;
  let conditional: ReadonlySet<Schema> | undefined;
  return (schema) => {
    root = schema;
    assertSupportedSchema(document, schema, supported);
    const shape = shapeOf([schema]);
    assertPending();
    return { shape, isOfRoot: conditional !== undefined };
  };

  // The shape of a value that all these schemas describe. It is cached before it is complete: schemas may be recursive.
  function shapeOf(schemas: readonly Schema[]): Shape {
    const key = [...new Set(schemas.map(idOf))].join();
    const seen = known.get(key);
    if (seen) return seen;

    const parts = collectParts(document, schemas);
    if (mark) assertMarkedAlike(document, parts, mark);
    const excluded = findMarked(document, parts, mark);
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
      // A schema that lists no properties leaves them open, too.
      isOpen: parts.some(isOpen) || !parts.some((part) => part.properties ?? part.patternProperties),
      variants: undefined as Shape['variants'],
      excluded,
      holdsExcluded: parts.some((part) => holdsMarked(document, part, mark)),
    };
    known.set(key, shape);
    for (const name of new Set(parts.flatMap((part) => Object.keys(part.properties ?? {})))) {
      if (!excluded.has(name)) properties.set(name, shapeOf(propertySchemas(parts, name)));
    }
    shape.patterns = [...new Set(parts.flatMap((part) => Object.keys(part.patternProperties ?? {})))].map(
      (pattern) => ({ pattern: toRegExp(pattern), shape: shapeOf(patternSchemas(parts, pattern)) }),
    );
    const others = additionalSchemas(parts);
    if (others.length > 0) shape.others = shapeOf(others);
    const count = Math.max(...parts.map(({ prefixItems = [] }) => prefixItems.length));
    shape.firstItems = Array.from({ length: count }, (_, index) => shapeOf(itemSchemas(parts, index)));
    shape.items = shapeOf(itemSchemas(parts));
    const union = findTaggedUnion(schemas.flatMap((one) => partsOf(document, one, ['allOf'])));
    if (union) {
      const { property, alternatives } = union;
      const narrowed = [...alternatives].map(([name, alternative]) => {
        return [name, shapeOf(schemas.map((one) => narrow(document, one, union, alternative)))] as const;
      });
      shape.variants = { property, shapes: new Map(narrowed) };
    }
    // Whether alternatives are ambiguous is asserted when all shapes are complete.
    addPending(parts, union?.schema);
    return shape;
  }

  // The rules of an int64 must apply to every value: the kit does not know which alternative a value matches.
  function readRules(part: Schema): ExactRule[] {
    const rules = exactRulesOf(part);
    const [keyword] = rules.keys();
    if (keyword === undefined) return [];
    const hasFormat = isInt64Schema(part);
    if (hasFormat && !isConditional(part)) return [...rules.values()];
    const where = hasFormat ? 'inside an alternative: write it outside' : 'away from its format: write them together';
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
