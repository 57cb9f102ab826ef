// Finds changes of a schema that break clients.
import { findNarrowings } from './find-narrowings';
import { createPair, type NodePair } from './node-pair';
import { pointerTo, type JsonObject, type Problem } from './problem';
import { readSchema, listSchemaParts, type KeywordValues } from './read-schema';

/** Whether clients send or receive values of the schema. */
export type Direction = 'request' | 'reply';

const EFFECT_OF_NARROWING = {
  request: 'a request that was right may be refused',
  reply: 'a reply may be what no client was told of',
};

/**
 * A request must not be narrowed, a reply must not be widened. `owner` is what has the `schema`, such as a media type;
 * without a schema, it allows anything, as `{}` does.
 */
export function findSchemaBreaks(owner: NodePair, direction: Direction): Problem[] {
  // A pair has two objects: in an allOf, a schema may also be true or false.
  const [before, after] = [owner.before, owner.after].map((node) => ({ allOf: [node?.['schema'] ?? {}] }));
  return compareSchemas(createPair(owner, pointerTo(owner.pointer, 'schema'), before, after), direction, new Set());
}

// `seen` has the pairs that were compared: each is compared once, so that recursive schemas terminate.
function compareSchemas(pair: NodePair, direction: Direction, seen: Set<string>): Problem[] {
  const partsBefore = listSchemaParts(pair.documents.before, pair.before);
  const partsAfter = listSchemaParts(pair.documents.after, pair.after);
  const pairKey = `${partsBefore.map(numberOf).join()} ${partsAfter.map(numberOf).join()}`;
  if (seen.has(pairKey)) return [];
  seen.add(pairKey);

  const before = readSchema(pair.documents.before, partsBefore);
  const after = readSchema(pair.documents.after, partsAfter);
  // Old clients send requests by the older schema, and the new server accepts the newer one. Replies go the other way.
  const [sent, accepted] = direction === 'request' ? [before, after] : [after, before];
  // No value matches `not: {}`: nothing is sent.
  if (sent.assertions.get('not')?.has('{}')) return [];
  const narrowings = findNarrowings(sent, accepted).map(({ keyword, ...values }) => {
    const [old, now] = direction === 'request' ? [values.sent, values.accepted] : [values.accepted, values.sent];
    return createProblem([keyword], `${old} -> ${now}; ${EFFECT_OF_NARROWING[direction]}`);
  });
  const unknownChanges = findChangedKeywords(before.unknown, after.unknown).map(([keyword, old, now]) =>
    createProblem([keyword], `${old} -> ${now}; cannot tell what this changes`),
  );
  const gone = [...before.properties.keys()].filter((name) => !after.properties.has(name));
  return [
    ...narrowings,
    ...unknownChanges,
    ...gone.map((name) => createProblem(['properties', name], 'is gone')),
    ...[...after.properties].flatMap(([name, schema]) => {
      // By convention a new property breaks no client if additional properties of any kind were allowed.
      const old = before.properties.get(name) ?? before.others;
      return old ? compareBelow(['properties', name], old, schema) : [];
    }),
    // Without a rule for items or other properties, the receiving side accepts anything.
    ...(accepted.items ? compareBelow(['items'], before.items, after.items) : []),
    ...(accepted.others ? compareBelow(['additionalProperties'], before.others, after.others) : []),
  ];

  function createProblem(keys: readonly string[], message: string): Problem {
    return { pointer: pointerTo(pair.pointer, ...keys), message };
  }

  function compareBelow(keys: readonly string[], old: JsonObject | undefined, now: JsonObject | undefined): Problem[] {
    return compareSchemas(createPair(pair, pointerTo(pair.pointer, ...keys), old, now), direction, seen);
  }
}

function findChangedKeywords(
  before: KeywordValues,
  after: KeywordValues,
): [keyword: string, old: string, now: string][] {
  const keywords = new Set([...before.keys(), ...after.keys()]);
  return [...keywords]
    .map((keyword): [string, string, string] => [
      keyword,
      showValues(before.get(keyword)),
      showValues(after.get(keyword)),
    ])
    .filter(([, old, now]) => old !== now);
}

function showValues(values: ReadonlySet<string> | undefined): string {
  return values ? [...values].sort().join(', ') : 'none';
}

const numbers = new WeakMap<object, number>();
let count = 0;

// Always the same number for a schema object: those of two schemas make the key of their pair.
function numberOf(schema: object): number {
  const number = numbers.get(schema) ?? count++;
  numbers.set(schema, number);
  return number;
}
