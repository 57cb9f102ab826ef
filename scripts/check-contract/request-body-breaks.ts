import { contentBreaks } from './content-breaks';
import { child, unknownChanges, type Place } from './place';
import type { Problem } from './problem';

/** Where a request body breaks clients. */
export function requestBodyBreaks(place: Place): Problem[] {
  const { pointer, before, after } = place;
  if (!before && !after) return [];
  if (!after) return [{ pointer, message: 'the body is gone' }];
  const breaks = before
    ? [...contentBreaks(child(place, 'content'), 'request'), ...unknownChanges(place, ['content', 'required'])]
    : [];
  const becomesRequired = after['required'] === true && before?.['required'] !== true;
  return becomesRequired ? [{ pointer, message: 'the body is required now' }, ...breaks] : breaks;
}
