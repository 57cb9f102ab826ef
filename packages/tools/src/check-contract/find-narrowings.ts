// Finds where one schema accepts less than another one allows.
import { isTighter, showLimit } from './limits';
import type { SchemaFacts } from './read-schema';

/** A keyword by which one schema accepts less than the other. */
export interface Narrowing {
  readonly keyword: string;
  /** The value of the keyword in the schema of the sending side, as text. */
  readonly sent: string;
  readonly accepted: string;
}

/**
 * Finds the keywords, except for properties and items, by which the receiving side rejects values that the sending side
 * allows. Two patterns, formats or anyOf that differ are reported: the one may reject what the other allows.
 */
export function findNarrowings(sent: SchemaFacts, accepted: SchemaFacts): Narrowing[] {
  const found: Narrowing[] = [];
  if (isNarrower(sent.types, accepted.types)) {
    found.push({ keyword: 'type', sent: showTypes(sent.types), accepted: showTypes(accepted.types) });
  }
  if (isNarrower(sent.values, accepted.values)) {
    found.push({ keyword: 'enum', sent: showAllowed(sent.values), accepted: showAllowed(accepted.values) });
  }
  for (const [keyword, limit] of accepted.limits) {
    const sentLimit = sent.limits.get(keyword);
    if (isTighter(keyword, limit, sentLimit)) {
      found.push({ keyword, sent: showLimit(sentLimit), accepted: showLimit(limit) });
    }
  }
  // Keywords such as `pattern`: the sending side has to have each of their values, too.
  for (const [keyword, values] of accepted.assertions) {
    const sentValues = sent.assertions.get(keyword);
    if ([...values].some((value) => sentValues?.has(value) !== true)) {
      found.push({ keyword, sent: showAllowed(sentValues), accepted: showAllowed(values) });
    }
  }
  for (const name of accepted.required) {
    if (!sent.required.has(name)) {
      found.push({ keyword: 'required', sent: `${name} is optional`, accepted: `${name} is required` });
    }
  }
  return found;
}

/** Whether a set lacks values that are sent. An undefined set has all values. */
function isNarrower(sent: ReadonlySet<string> | undefined, accepted: ReadonlySet<string> | undefined): boolean {
  return accepted !== undefined && !(sent && [...sent].every((value) => accepted.has(value)));
}

function showAllowed(values: ReadonlySet<string> | undefined): string {
  return values ? [...values].join(', ') : 'any';
}

function showTypes(types: ReadonlySet<string> | undefined): string {
  return showAllowed(types).replace('integer, fraction', 'number');
}
