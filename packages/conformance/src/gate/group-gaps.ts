// Groups gaps by patterns.
import { reasonOf, type Accepted } from './accepted';
import { nameOf, type Part, type Parts } from './find-gaps';

/** A pattern, the reason to accept it, and the gaps that it matches. */
export interface Group extends Accepted {
  readonly gaps: readonly Part[];
}

/**
 * Finds few patterns that match all gaps. A pattern matches no produced item and only gaps of one reason; those that
 * match most come first.
 */
export function groupGaps({ gaps, produced }: Parts): Group[] {
  const reasons = Map.groupBy(gaps, reasonOf);
  const groups = [...reasons].flatMap(([reason, own]) => {
    const others = gaps.filter((gap) => reasonOf(gap) !== reason);
    return choosePatterns(own, [...produced, ...others]).map((group) => ({ ...group, reason }));
  });
  return groups.toSorted((one, other) => other.gaps.length - one.gaps.length);
}

// Greedy: takes the pattern that matches most of the gaps left, again and again.
function choosePatterns(gaps: readonly Part[], others: readonly Part[]): Omit<Group, 'reason'>[] {
  const taken = new Set(others.flatMap(patternsOf));
  const choicesOf = (gap: Part): string[] =>
    patternsOf(gap).filter((pattern) => pattern === nameOf(gap) || !taken.has(pattern));
  const uncovered = new Map<string, Set<Part>>();
  for (const gap of gaps) {
    for (const pattern of choicesOf(gap)) uncovered.set(pattern, (uncovered.get(pattern) ?? new Set()).add(gap));
  }
  const bySize: string[][] = [];
  for (const [pattern, named] of uncovered) (bySize[named.size] ??= []).push(pattern);
  const groups: Omit<Group, 'reason'>[] = [];
  for (let size = bySize.length - 1; size > 0; size--) {
    // Of patterns that match equally many gaps, prefer the longest, which is the narrowest.
    for (const pattern of bySize[size]?.toSorted((one, other) => other.length - one.length) ?? []) {
      const named = [...(uncovered.get(pattern) ?? [])];
      // Larger groups may have taken some of its gaps: try it again at its new size.
      if (named.length < size) (bySize[named.length] ??= []).push(pattern);
      else {
        groups.push({ pattern, gaps: named });
        for (const gap of named) for (const choice of choicesOf(gap)) uncovered.get(choice)?.delete(gap);
      }
    }
  }
  return groups;
}

/** All candidate patterns that match an item. */
function patternsOf(part: Part): string[] {
  const { operation, status, kind, name } = part;
  const end = /, [^,]+$/.exec(name)?.[0];
  const names = [
    `${kind} ${name}`,
    ...(end === undefined ? [] : [`${kind} ${String(name.split(' ')[0])} **${end}`, `${kind} **${end}`]),
    `${kind} **`,
    // Matches every kind of reply item.
    ...(kind.startsWith('reply') ? ['reply **'] : []),
  ];
  if (operation === '') return names;
  const [, path = ''] = operation.split(' ');
  const ends = [
    ...(status === undefined
      ? names
      : [
          ...[...names, '**'].flatMap((text) => [`${status} ${text}`, `${String(status[0])}XX ${text}`]),
          ...names.map((text) => `* ${text}`),
        ]),
    '**',
  ];
  return [operation, `* ${path}`, '* *'].flatMap((one) => ends.map((text) => `${one} ${text}`));
}
