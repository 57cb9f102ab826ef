import type { Media } from './content';
import { isJson, isRange, isUtf8, parseMediaType, rank } from './media-type';

/**
 * Finds the declared body of a media type: the same type with the most parameters in common, or else the narrowest range;
 * undefined if there is none, or `sent` is malformed. Text in a charset other than UTF-8 is found only as bytes.
 */
export function findMedia<T extends Media>(media: ReadonlyMap<string, T>, sent: string): T | undefined {
  const sameSpelling = media.get(sent);
  // Most requests spell it as the contract does; no request may name a range.
  if (sameSpelling && !sent.includes('*')) return sameSpelling;
  const type = parseMediaType(sent);
  if (!type || isRange(type)) return undefined;
  let best: T | undefined;
  let bestRank = 0;
  for (const candidate of media.values()) {
    const { kind, declared } = candidate;
    const isDecodable = kind === 'binary' || isUtf8(type);
    // A range such as application/* is parsed as JSON where its schema is of JSON: other types of the range are not.
    const isOfKind = kind !== 'json' || isJson(type);
    const candidateRank = rank(declared, type);
    if (!isDecodable || !isOfKind || candidateRank <= bestRank) continue;
    best = candidate;
    bestRank = candidateRank;
  }
  return best;
}
