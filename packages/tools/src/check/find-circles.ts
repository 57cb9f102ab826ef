// Finds the schemas that lead to each other.
import { type Document, resolveReference, type Schema, subschemas } from '@contract-kit/server/contract';

/**
 * Maps each schema to one of its circle: two schemas are mapped to the same if each of them leads to the other, by what is
 * inside it and by references.
 */
export function findCircles(document: Document, schemas: ReadonlySet<Schema>): ReadonlyMap<Schema, Schema> {
  const below = new Map(
    [...schemas].map((schema) => [schema, [...subschemas(schema), resolveReference(document, schema)]]),
  );
  const above = new Map<Schema, Schema[]>();
  for (const [schema, children] of below) {
    for (const child of children) {
      const parents = above.get(child) ?? [];
      parents.push(schema);
      above.set(child, parents);
    }
  }
  // Kosaraju's algorithm: whoever leads to the schema that was left last, and has no circle yet, is in its circle.
  const circles = new Map<Schema, Schema>();
  for (const first of walk(schemas, below).reverse()) {
    const members = circles.has(first) ? [] : [first];
    for (const member of members) {
      if (circles.has(member)) continue;
      circles.set(member, first);
      members.push(...(above.get(member) ?? []));
    }
  }
  return circles;
}

// Lists schemas in the order in which a walk into the depth leaves them: in a loop, since circles may be long.
function walk(schemas: Iterable<Schema>, below: ReadonlyMap<Schema, readonly Schema[]>): Schema[] {
  const left: Schema[] = [];
  const entered = new Set<Schema>();
  const steps = [...schemas].map((schema) => ({ schema, isExit: false }));
  for (let step = steps.pop(); step; step = steps.pop()) {
    const { schema, isExit } = step;
    if (isExit) left.push(schema);
    if (isExit || entered.has(schema)) continue;
    entered.add(schema);
    const inner = below.get(schema) ?? [];
    steps.push({ schema, isExit: true }, ...inner.map((child) => ({ schema: child, isExit: false })));
  }
  return left;
}
