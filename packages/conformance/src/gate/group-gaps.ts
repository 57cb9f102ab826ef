// Groups gaps by patterns.
import { defaultReasonOf, type Accepted } from './accepted';
import { nameOf, type Part, type Parts } from './find-gaps';

export interface Group extends Accepted {
  readonly gaps: readonly Part[];
}

/** Finds few patterns that match all gaps, but no produced item; each matches gaps with one default reason. */
export function groupGaps({ gaps, produced }: Parts): Group[] {
  const gapsByReason = Map.groupBy(gaps, defaultReasonOf);
  const groups = [...gapsByReason].flatMap(([reason, gapsOfReason]) => {
    const otherGaps = gaps.filter((gap) => defaultReasonOf(gap) !== reason);
    return choosePatterns(gapsOfReason, [...produced, ...otherGaps]).map((group) => ({ ...group, reason }));
  });
  return groups.toSorted((one, other) => other.gaps.length - one.gaps.length);
}

// Greedy: takes the pattern that matches most of the gaps left, again and again. None may match one of `others`.
function choosePatterns(gaps: readonly Part[], others: readonly Part[]): Omit<Group, 'reason'>[] {
  const forbidden = new Set(others.flatMap(patternsOf));
  // The own name of a gap is always a candidate, so that each gap has one.
  const candidatesOf = (gap: Part): string[] =>
    patternsOf(gap).filter((pattern) => pattern === nameOf(gap) || !forbidden.has(pattern));
  // For each candidate, the gaps that it matches and that no chosen pattern matches yet.
  const uncovered = new Map<string, Set<Part>>();
  for (const gap of gaps) {
    for (const pattern of candidatesOf(gap)) uncovered.set(pattern, (uncovered.get(pattern) ?? new Set()).add(gap));
  }
  // The candidates by the number of gaps that they match, as far as known.
  const bySize: string[][] = [];
  for (const [pattern, matched] of uncovered) (bySize[matched.size] ??= []).push(pattern);
  const groups: Omit<Group, 'reason'>[] = [];
  for (let size = bySize.length - 1; size > 0; size--) {
    // Of patterns that match equally many gaps, prefer the longest, which is the narrowest.
    for (const pattern of bySize[size]?.toSorted((one, other) => other.length - one.length) ?? []) {
      const matched = [...(uncovered.get(pattern) ?? [])];
      // Chosen patterns may have taken some of its gaps since: try it again at its new size.
      if (matched.length < size) (bySize[matched.length] ??= []).push(pattern);
      else {
        groups.push({ pattern, gaps: matched });
        for (const gap of matched) for (const candidate of candidatesOf(gap)) uncovered.get(candidate)?.delete(gap);
      }
    }
  }
  return groups;
}

// The name of a part, such as `GET /books 200 reply shape header etag, present`, and wider patterns with `*` for a
// word, `**` for any words, and `2XX` for the status.
function patternsOf(part: Part): string[] {
  const { operation, status } = part;
  const endings = patternsOfName(part);
  if (operation === '') return endings;
  const [, path = ''] = operation.split(' ');
  const ofRequest = status === undefined ? endings : patternsOfReply(status, endings);
  return [operation, `* ${path}`, '* *'].flatMap((start) => [...ofRequest, '**'].map((end) => `${start} ${end}`));
}

// Patterns for kind and name, such as `reply shape header etag, present`, `reply shape header **, present`,
// `reply shape **, present` and `reply **`.
function patternsOfName({ kind, name }: Part): string[] {
  const [firstWord = ''] = name.split(' ');
  const detail = /, [^,]+$/.exec(name)?.[0];
  return [
    `${kind} ${name}`,
    ...(detail === undefined ? [] : [`${kind} ${firstWord} **${detail}`, `${kind} **${detail}`]),
    `${kind} **`,
    // Matches `reply`, `reply property` and `reply shape`.
    ...(kind.startsWith('reply') ? ['reply **'] : []),
  ];
}

// Puts the status, its class such as 2XX, or `*` before the patterns for kind and name.
function patternsOfReply(status: string, endings: readonly string[]): string[] {
  const statusClass = `${status.charAt(0)}XX`;
  return [
    ...[...endings, '**'].flatMap((end) => [`${status} ${end}`, `${statusClass} ${end}`]),
    ...endings.map((end) => `* ${end}`),
  ];
}
