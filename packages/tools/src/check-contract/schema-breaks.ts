// Finds changes of a schema that break clients.
import { isTighter, showLimit } from './limits';
import { createPair, type NodePair } from './node-pair';
import { pointerTo, type JsonObject, type Problem } from './problem';
import { readSchema, listSchemaParts, type KeywordValues, type SchemaFacts } from './read-schema';

/** Whether clients send or receive values of the schema. */
export type Direction = 'request' | 'reply';

const EFFECT = {
  request: 'a request that was right may be refused',
  reply: 'a reply may be what no client was told of',
};

/**
 * Finds breaking changes of the schema of a media type, a parameter or a header: a request must not be narrowed, a
 * reply must not be widened.
 */
export function findSchemaBreaks(owner: NodePair, direction: Direction): Problem[] {
  const [before, after] = [owner.before, owner.after].map((node) => ({ allOf: [node?.['schema'] ?? {}] }));
  return compareSchemas(createPair(owner, pointerTo(owner.pointer, 'schema'), before, after), direction, new Set());
}

// Each pair of schemas is compared once, so that recursive schemas terminate.
function compareSchemas(pair: NodePair, direction: Direction, seen: Set<string>): Problem[] {
  const partsBefore = listSchemaParts(pair.documents.before, pair.before);
  const partsAfter = listSchemaParts(pair.documents.after, pair.after);
  const key = `${partsBefore.map(idOf).join()} ${partsAfter.map(idOf).join()}`;
  if (seen.has(key)) return [];
  seen.add(key);

  const before = readSchema(pair.documents.before, partsBefore);
  const after = readSchema(pair.documents.after, partsAfter);
  // The side that sends values, and the side that receives them: they break if it accepts less than is offered.
  const [offered, accepted] = direction === 'request' ? [before, after] : [after, before];
  // A schema that no value matches offers nothing.
  if (offered.assertions.get('not')?.has('{}')) return [];
  const narrowings = findNarrowings(offered, accepted).map(({ keyword, ...sides }) => {
    const [old, now] = direction === 'request' ? [sides.offered, sides.accepted] : [sides.accepted, sides.offered];
    return problemAt([keyword], `${old} -> ${now}; ${EFFECT[direction]}`);
  });
  const changes = findChangedKeywords(before.unknown, after.unknown).map(([keyword, old, now]) =>
    problemAt([keyword], `${old} -> ${now}; cannot tell what this changes`),
  );
  const gone = [...before.properties.keys()].filter((name) => !after.properties.has(name));
  return [
    ...narrowings,
    ...changes,
    ...gone.map((name) => problemAt(['properties', name], 'is gone')),
    ...[...after.properties].flatMap(([name, schema]) => {
      // By convention a new property breaks no client if additional properties of any kind were allowed.
      const old = before.properties.get(name) ?? before.others;
      return old ? compareBelow(['properties', name], old, schema) : [];
    }),
    // Without a rule, the receiving side accepts anything.
    ...(accepted.items ? compareBelow(['items'], before.items, after.items) : []),
    ...(accepted.others ? compareBelow(['additionalProperties'], before.others, after.others) : []),
  ];

  function problemAt(keys: readonly string[], message: string): Problem {
    return { pointer: pointerTo(pair.pointer, ...keys), message };
  }

  function compareBelow(keys: readonly string[], old: JsonObject | undefined, now: JsonObject | undefined): Problem[] {
    return compareSchemas(createPair(pair, pointerTo(pair.pointer, ...keys), old, now), direction, seen);
  }
}

/** Lists the keywords whose values are not the same. */
function findChangedKeywords(
  before: KeywordValues,
  after: KeywordValues,
): [keyword: string, old: string, now: string][] {
  const keywords = new Set([...before.keys(), ...after.keys()]);
  return [...keywords]
    .map((keyword): [string, string, string] => [keyword, show(before.get(keyword)), show(after.get(keyword))])
    .filter(([, old, now]) => old !== now);
}

function show(values: ReadonlySet<string> | undefined): string {
  return values ? [...values].sort().join(', ') : 'none';
}

const ids = new WeakMap<object, number>();
let count = 0;

// Numbers each schema object, so that the numbers of two schemas make the key of a pair.
function idOf(schema: object): number {
  const id = ids.get(schema) ?? count++;
  ids.set(schema, id);
  return id;
}

/** A keyword by which one schema accepts less than the other. */
interface Narrowing {
  readonly keyword: string;
  readonly offered: string;
  readonly accepted: string;
}

/**
 * Finds the keywords by which a schema rejects values that another one offers, without properties and items. Two
 * patterns, formats or anyOf that differ are reported, since the one may reject what the other offers.
 */
function findNarrowings(offered: SchemaFacts, accepted: SchemaFacts): Narrowing[] {
  const found: Narrowing[] = [];
  if (isNarrower(offered.types, accepted.types)) add('type', showTypes(offered.types), showTypes(accepted.types));
  if (isNarrower(offered.values, accepted.values))
    add('enum', showAllowed(offered.values), showAllowed(accepted.values));
  for (const [name, limit] of accepted.limits) {
    const other = offered.limits.get(name);
    if (isTighter(name, limit, other)) add(name, showLimit(other), showLimit(limit));
  }
  for (const [keyword, values] of accepted.assertions) {
    const others = offered.assertions.get(keyword);
    if (![...values].every((value) => others?.has(value))) add(keyword, showAllowed(others), showAllowed(values));
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

function showAllowed(values: ReadonlySet<string> | undefined): string {
  return values ? [...values].join(', ') : 'any';
}

function showTypes(types: ReadonlySet<string> | undefined): string {
  return showAllowed(types).replace('integer, fraction', 'number');
}
