import { children, unknownChanges, type Place } from './place';
import type { Problem } from './problem';
import { schemaBreaks, type Direction } from './schema-breaks';

/** Where the media types of a body, or their schemas, break clients. */
export function contentBreaks(place: Place, direction: Direction): Problem[] {
  return children(place).flatMap(([, type]) => {
    if (!type.after) return [{ pointer: type.pointer, message: 'the media type is gone' }];
    if (!type.before) {
      return direction === 'request' ? [] : [{ pointer: type.pointer, message: 'the media type is new' }];
    }
    return [...schemaBreaks(type, direction), ...unknownChanges(type, ['schema'])];
  });
}
