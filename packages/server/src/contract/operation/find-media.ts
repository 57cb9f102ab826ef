import type { Media } from './content';
import { isJson, isRange, isUtf8, parseMediaType, rank } from './media-type';

/**
 * The declared body of a media type: the one with the same type and the most of its parameters, or else that of the
 * nearest range. A charset other than UTF-8 is no text of the kit's.
 *
 * @param sent a media type, as a header has it
 */
export function findMedia<T extends Media>(media: ReadonlyMap<string, T>, sent: string): T | undefined {
  const same = media.get(sent);
  // Most requests spell it as the contract does.
  if (same && !sent.includes('*')) return same;
  const type = parseMediaType(sent);
  if (!type || isRange(type)) return undefined;
  let found: T | undefined;
  let best = 0;
  for (const one of media.values()) {
    const rankOfOne = rank(one.declared, type);
    const isRead = (one.kind === 'binary' || isUtf8(type)) && (one.kind !== 'json' || isJson(type));
    if (!isRead || rankOfOne <= best) continue;
    found = one;
    best = rankOfOne;
  }
  return found;
}
