import { isTighter, showLimit } from './limits';
import type { SchemaFacts } from './read-schema';

/** A keyword of which one schema allows less than the other. */
export interface Narrowing {
  readonly keyword: string;
  readonly offered: string;
  readonly accepted: string;
}

/**
 * Where a schema does not accept all that another one offers, properties and items aside. Whether one pattern, format
 * or anyOf allows all that another does is not told: where they differ, they narrow.
 */
export function findNarrowings(offered: SchemaFacts, accepted: SchemaFacts): Narrowing[] {
  const found: Narrowing[] = [];
  if (isNarrower(offered.types, accepted.types)) add('type', showTypes(offered.types), showTypes(accepted.types));
  if (isNarrower(offered.values, accepted.values)) add('enum', show(offered.values), show(accepted.values));
  for (const [name, limit] of accepted.limits) {
    const other = offered.limits.get(name);
    if (isTighter(name, limit, other)) add(name, showLimit(other), showLimit(limit));
  }
  for (const [keyword, values] of accepted.assertions) {
    const others = offered.assertions.get(keyword);
    if (![...values].every((value) => others?.has(value))) add(keyword, show(others), show(values));
  }
  for (const name of accepted.required) {
    if (!offered.required.has(name)) add('required', `${name} is optional`, `${name} is required`);
  }
  return found;

  function add(keyword: string, before: string, after: string): void {
    found.push({ keyword, offered: before, accepted: after });
  }
}

function isNarrower(offered: ReadonlySet<string> | undefined, accepted: ReadonlySet<string> | undefined): boolean {
  return accepted !== undefined && !(offered && [...offered].every((value) => accepted.has(value)));
}

function show(values: ReadonlySet<string> | undefined): string {
  return values ? [...values].join(', ') : 'any';
}

function showTypes(types: ReadonlySet<string> | undefined): string {
  return show(types).replace('integer, fraction', 'number');
}
