import { type Document, resolveReference } from '@contract-kit/server/contract';
import { childPair, childPairs, createPair, findOtherKeywordChanges, type NodePair } from './node-pair';
import { pointerTo, type JsonObject, type Problem } from './problem';
import { findSchemaBreaks, type Direction } from './schema-breaks';

/** Finds breaking changes of the parameters of an operation, including those of its path. */
export function findParameterBreaks(path: NodePair, operation: NodePair): Problem[] {
  const before = readParameters(path.documents.before, path.before, operation.before);
  const after = readParameters(path.documents.after, path.after, operation.after);
  const names = new Set([...before.keys(), ...after.keys()]);
  return [...names].flatMap((name) => {
    const pointer = pointerTo(operation.pointer, 'parameters', name);
    const [old, now] = [before.get(name), after.get(name)];
    if (!now) return [{ pointer, message: 'the parameter is gone' }];
    const becomesRequired = now['required'] === true && old?.['required'] !== true;
    const breaks = becomesRequired ? [{ pointer, message: 'the parameter is required now' }] : [];
    // A new parameter has nothing to compare it with.
    if (!old) return breaks;
    const pair = createPair(operation, pointer, old, now);
    return [
      ...breaks,
      ...findSchemaBreaks(pair, 'request'),
      ...findOtherKeywordChanges(pair, ['name', 'in', 'required', 'schema']),
    ];
  });
}

// By location and name, such as `query limit`; header names are case-insensitive. The parameters of an operation
// override those of its path.
function readParameters(document: Document, ...owners: (JsonObject | undefined)[]): ReadonlyMap<string, JsonObject> {
  const parameters = owners.flatMap((owner) => (owner?.['parameters'] ?? []) as JsonObject[]);
  return new Map(
    parameters.map((node) => {
      const parameter = resolveReference(document, node);
      const { in: location, name } = parameter as { in: string; name: string };
      return [`${location} ${location === 'header' ? name.toLowerCase() : name}`, parameter];
    }),
  );
}

export function findRequestBodyBreaks(pair: NodePair): Problem[] {
  const { pointer, before, after } = pair;
  if (!before && !after) return [];
  if (!after) return [{ pointer, message: 'the body is gone' }];
  // A new body breaks clients only if it is required.
  const breaks = before
    ? [
        ...findContentBreaks(childPair(pair, 'content'), 'request'),
        ...findOtherKeywordChanges(pair, ['content', 'required']),
      ]
    : [];
  const becomesRequired = after['required'] === true && before?.['required'] !== true;
  return becomesRequired ? [{ pointer, message: 'the body is required now' }, ...breaks] : breaks;
}

export function findReplyBreaks(responses: NodePair): Problem[] {
  return childPairs(responses).flatMap(([status, reply]) => {
    if (!reply.after) return [{ pointer: reply.pointer, message: 'the status is gone' }];
    // RFC 9110 section 15: a client treats an unknown error status as the x00 of its class. A success has no such rule.
    if (!reply.before) return /^[45]/.test(status) ? [] : [{ pointer: reply.pointer, message: 'the status is new' }];
    return [
      ...findHeaderBreaks(reply),
      ...findContentBreaks(childPair(reply, 'content'), 'reply'),
      ...findOtherKeywordChanges(reply, ['headers', 'content']),
    ];
  });
}

// A new header breaks no client.
function findHeaderBreaks(reply: NodePair): Problem[] {
  const now = readHeaders(reply.after);
  return [...readHeaders(reply.before)].flatMap(([name, old]) => {
    const header = createPair(reply, pointerTo(reply.pointer, 'headers', name), old, now.get(name));
    if (!header.after) return [{ pointer: header.pointer, message: 'the header is gone' }];
    const becomesOptional = header.before?.['required'] === true && header.after['required'] !== true;
    return [
      ...(becomesOptional ? [{ pointer: header.pointer, message: 'the header is optional now' }] : []),
      ...findSchemaBreaks(header, 'reply'),
      ...findOtherKeywordChanges(header, ['required', 'schema']),
    ];
  });
}

// Header names are case-insensitive.
function readHeaders(reply: JsonObject | undefined): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(reply?.['headers'] ?? {}).map(([name, header]) => [name.toLowerCase(), header]));
}

// The pair is the `content` of a body: its media types.
function findContentBreaks(pair: NodePair, direction: Direction): Problem[] {
  return childPairs(pair).flatMap(([, type]) => {
    if (!type.after) return [{ pointer: type.pointer, message: 'the media type is gone' }];
    // No client has to send a new media type, but clients may receive it.
    if (!type.before) {
      return direction === 'request' ? [] : [{ pointer: type.pointer, message: 'the media type is new' }];
    }
    return [...findSchemaBreaks(type, direction), ...findOtherKeywordChanges(type, ['schema'])];
  });
}
