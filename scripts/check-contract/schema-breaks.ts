import { pointerTo, type JsonObject } from './json';
import { findNarrowings } from './narrowings';
import { placeOf, type Place } from './place';
import type { Problem } from './problem';
import { readSchema, type Statements } from './read-schema';
import { schemaParts } from './schema-parts';

/** Whether a schema is one of what clients send, or of what they read. */
export type Direction = 'request' | 'reply';

const EFFECT = {
  request: 'a request that was right may be refused',
  reply: 'a reply may be what no client was told of',
};

/**
 * Where the newer schema of a media type, a parameter or a header breaks clients of the older one: a request may not be
 * narrowed, a reply may not be widened.
 */
export function schemaBreaks(owner: Place, direction: Direction): Problem[] {
  const [before, after] = [owner.before, owner.after].map((node) => ({ allOf: [node?.['schema'] ?? {}] }));
  return compare(placeOf(owner, pointerTo(owner.pointer, 'schema'), before, after), direction, new Set());
}

// The pairs of schemas that were seen, so that one that refers to itself ends.
function compare(place: Place, direction: Direction, seen: Set<string>): Problem[] {
  const partsBefore = schemaParts(place.documents.before, place.before);
  const partsAfter = schemaParts(place.documents.after, place.after);
  const pair = `${partsBefore.map(idOf).join()} ${partsAfter.map(idOf).join()}`;
  if (seen.has(pair)) return [];
  seen.add(pair);

  const before = readSchema(place.documents.before, partsBefore);
  const after = readSchema(place.documents.after, partsAfter);
  const [offered, accepted] = direction === 'request' ? [before, after] : [after, before];
  if (offered.assertions.get('not')?.has('{}')) return [];
  const narrowings = findNarrowings(offered, accepted).map(({ keyword, ...sides }) => {
    const [old, now] = direction === 'request' ? [sides.offered, sides.accepted] : [sides.accepted, sides.offered];
    return report([keyword], `${old} -> ${now}; ${EFFECT[direction]}`);
  });
  const changes = unknownKeywords(before.unknown, after.unknown).map(([keyword, old, now]) =>
    report([keyword], `${old} -> ${now}; cannot tell what this changes`),
  );
  const gone = [...before.properties.keys()].filter((name) => !after.properties.has(name));
  return [
    ...narrowings,
    ...changes,
    ...gone.map((name) => report(['properties', name], 'is gone')),
    ...[...after.properties].flatMap(([name, schema]) => {
      // By convention a new property breaks nobody where others were allowed without saying what they are.
      const old = before.properties.get(name) ?? before.others;
      return old ? below(['properties', name], old, schema) : [];
    }),
    ...(accepted.items ? below(['items'], before.items, after.items) : []),
    ...(accepted.others ? below(['additionalProperties'], before.others, after.others) : []),
  ];

  function report(keys: readonly string[], message: string): Problem {
    return { pointer: pointerTo(place.pointer, ...keys), message };
  }

  function below(keys: readonly string[], old: JsonObject | undefined, now: JsonObject | undefined): Problem[] {
    return compare(placeOf(place, pointerTo(place.pointer, ...keys), old, now), direction, seen);
  }
}

function unknownKeywords(before: Statements, after: Statements): [keyword: string, old: string, now: string][] {
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

// A pair of places is told by its schemas.
function idOf(schema: object): number {
  const id = ids.get(schema) ?? count++;
  ids.set(schema, id);
  return id;
}
