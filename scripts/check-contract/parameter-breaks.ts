import { resolveReference, type Document } from '../../src/contract/document/document';
import { pointerTo, type JsonObject } from './json';
import { placeOf, unknownChanges, type Place } from './place';
import type { Problem } from './problem';
import { schemaBreaks } from './schema-breaks';

/** Where the parameters of an operation, its own and those of its path, break clients. */
export function parameterBreaks(path: Place, operation: Place): Problem[] {
  const before = readParameters(path.documents.before, path.before, operation.before);
  const after = readParameters(path.documents.after, path.after, operation.after);
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const pointer = pointerTo(operation.pointer, 'parameters', name);
    const [old, now] = [before.get(name), after.get(name)];
    if (!now) return [{ pointer, message: 'the parameter is gone' }];
    const becomesRequired = now['required'] === true && old?.['required'] !== true;
    const breaks = becomesRequired ? [{ pointer, message: 'the parameter is required now' }] : [];
    if (!old) return breaks;
    const place = placeOf(operation, pointer, old, now);
    return [
      ...breaks,
      ...schemaBreaks(place, 'request'),
      ...unknownChanges(place, ['name', 'in', 'required', 'schema']),
    ];
  });
}

// An operation's own parameter takes the place of its path's.
function readParameters(document: Document, ...owners: (JsonObject | undefined)[]): ReadonlyMap<string, JsonObject> {
  const parameters = owners.flatMap((owner) => (owner?.['parameters'] ?? []) as JsonObject[]);
  return new Map(
    parameters.map((node) => {
      const parameter = resolveReference(document, node);
      const { in: place, name } = parameter as { in: string; name: string };
      return [`${place} ${place === 'header' ? name.toLowerCase() : name}`, parameter];
    }),
  );
}
