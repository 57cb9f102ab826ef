import type { Media } from './content';
import { isJson, isRange, isUtf8, parseMediaType, rank } from './media-type';

/**
 * Finds the declared body of a media type: the same type with the most parameters in common, or else the narrowest range.
 * Text in a charset other than UTF-8 is found only as bytes.
 *
 * @param sent a media type, as a header has it
 */
export function findMedia<T extends Media>(media: ReadonlyMap<string, T>, sent: string): T | undefined {
  const same = media.get(sent);
  // Most requests spell it as the contract does; no request may name a range.
  if (same && !sent.includes('*')) return same;
  const type = parseMediaType(sent);
  if (!type || isRange(type)) return undefined;
  let found: T | undefined;
  let best = 0;
  for (const candidate of media.values()) {
    const { kind } = candidate;
    const score = rank(candidate.declared, type);
    const isReadable = (kind === 'binary' || isUtf8(type)) && (kind !== 'json' || isJson(type));
    if (!isReadable || score <= best) continue;
    found = candidate;
    best = score;
  }
  return found;
}
