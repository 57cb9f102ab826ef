// Refuses schemas that do not decide whether a number is an int64.
import type { Document } from './document';
import { hasMoreInt64s, int64sDifferBelow } from './compare-int64s';
import { holdsInt64 } from './int64-schema';
import { schemasOf } from './keywords';
import type { Mark } from './marks';
import { Mistake } from './mistake';
import { without, type Schema } from './schema';
import type { Shape } from './shape';

const CONDITIONAL_KEYWORDS = ['if', 'then', 'else', 'dependentSchemas'] as const;

/** Creates the check that int64s do not depend on the alternative that matches: the kit parses them before it knows which. */
export function createAmbiguityCheck(
  document: Document,
  shapeOf: (schemas: readonly Schema[]) => Shape,
  excluded: Mark | undefined,
): {
  readonly addPending: (schemas: readonly Schema[], union: Schema | undefined) => void;
  readonly assertPending: () => void;
} {
  // Shapes of recursive schemas are complete only at the end: the check waits until then.
  const pending = new Set<Schema>();
  return {
    /** @param union needs no check: a discriminator tells its alternatives apart */
    addPending(schemas, union) {
      for (const schema of schemas) if (schema !== union && holdsInt64(document, schema)) pending.add(schema);
    },
    /** @throws Mistake that names the keyword with the alternatives */
    assertPending() {
      // The set grows during the loop: shapeOf may meet new schemas and add them.
      for (const schema of pending) assertUnambiguous(schema);
      pending.clear();
    },
  };

  function assertUnambiguous(schema: Schema): void {
    // Requests exclude what is readOnly, replies what is writeOnly.
    const isInRequest = excluded === 'readOnly';
    // A reply comes from the handler: there a bigint or a number tells which alternative it means.
    if (isInRequest) for (const keyword of ['anyOf', 'oneOf'] as const) assertSameInt64s(schema, keyword);
    assertNoConditionalInt64s(schema);
  }

  function assertSameInt64s(schema: Schema, keyword: 'anyOf' | 'oneOf'): void {
    const shapes = (schema[keyword] ?? []).map((alternative) => shapeOf([alternative]));
    const isAmbiguous = shapes.some((first, index) =>
      shapes.slice(index + 1).some((second) => int64sDifferBelow(first, second)),
    );
    if (isAmbiguous) {
      const message = `what is an int64 in one alternative of ${keyword} is another number in the next: give both the format int64, or a discriminator`;
      throw new Mistake(schema, message, keyword);
    }
  }

  // `if`, `then` and the like apply to some values only: each int64 in them must be an int64 outside of them, too.
  function assertNoConditionalInt64s(schema: Schema): void {
    const unconditional = without(schema, ...CONDITIONAL_KEYWORDS);
    for (const keyword of CONDITIONAL_KEYWORDS) {
      const conditional = schemasOf(keyword, schema[keyword]) as Schema[];
      if (!conditional.some((one) => hasMoreInt64s(shapeOf([one]), shapeOf([unconditional])))) continue;
      throw new Mistake(schema, `an int64 that only ${keyword} has is not supported: write it in properties`, keyword);
    }
  }
}
