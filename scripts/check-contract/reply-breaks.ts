import { contentBreaks } from './content-breaks';
import { pointerTo, type JsonObject } from './json';
import { child, children, placeOf, unknownChanges, type Place } from './place';
import type { Problem } from './problem';
import { schemaBreaks } from './schema-breaks';

/** Where the replies of an operation break clients. */
export function replyBreaks(responses: Place): Problem[] {
  return children(responses).flatMap(([status, reply]) => {
    if (!reply.after) return [{ pointer: reply.pointer, message: 'the status is gone' }];
    // A client takes an unknown error for the x00 of its class (RFC 9110 section 15); it cannot do so with a success.
    if (!reply.before) return /^[45]/.test(status) ? [] : [{ pointer: reply.pointer, message: 'the status is new' }];
    return [
      ...headerBreaks(reply),
      ...contentBreaks(child(reply, 'content'), 'reply'),
      ...unknownChanges(reply, ['headers', 'content']),
    ];
  });
}

function headerBreaks(reply: Place): Problem[] {
  const now = readHeaders(reply.after);
  return [...readHeaders(reply.before)].flatMap(([name, old]) => {
    const header = placeOf(reply, pointerTo(reply.pointer, 'headers', name), old, now.get(name));
    if (!header.after) return [{ pointer: header.pointer, message: 'the header is gone' }];
    const becomesOptional = header.before?.['required'] === true && header.after['required'] !== true;
    return [
      ...(becomesOptional ? [{ pointer: header.pointer, message: 'the header is optional now' }] : []),
      ...schemaBreaks(header, 'reply'),
      ...unknownChanges(header, ['required', 'schema']),
    ];
  });
}

// Names of headers are the same in any case.
function readHeaders(reply: JsonObject | undefined): ReadonlyMap<string, unknown> {
  return new Map(Object.entries(reply?.['headers'] ?? {}).map(([name, header]) => [name.toLowerCase(), header]));
}
