// Groups gaps by patterns.
import { reasonOf, type Accepted } from './accepted';
import { nameOf, type Part, type Parts } from './find-gaps';

/** Gaps that one pattern names, and why they may be accepted. */
export interface Group extends Accepted {
  readonly gaps: readonly Part[];
}

/**
 * As few patterns as name all gaps, none that was produced, and none that has another reason, each as narrow as that
 * allows; the largest first.
 */
export function groupGaps({ gaps, produced }: Parts): Group[] {
  const reasons = Map.groupBy(gaps, reasonOf);
  const groups = [...reasons].flatMap(([reason, own]) => {
    const others = gaps.filter((gap) => reasonOf(gap) !== reason);
    return choosePatterns(own, [...produced, ...others]).map((group) => ({ ...group, reason }));
  });
  return groups.toSorted((one, other) => other.gaps.length - one.gaps.length);
}

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
    // Of those that name as many, the longest says most.
    for (const pattern of bySize[size]?.toSorted((one, other) => other.length - one.length) ?? []) {
      const named = [...(uncovered.get(pattern) ?? [])];
      // What it named may be in a larger group by now.
      if (named.length < size) (bySize[named.length] ??= []).push(pattern);
      else {
        groups.push({ pattern, gaps: named });
        for (const gap of named) for (const choice of choicesOf(gap)) uncovered.get(choice)?.delete(gap);
      }
    }
  }
  return groups;
}

/** The patterns that are chosen from; a part has all of those that name it. */
function patternsOf(part: Part): string[] {
  const { operation, status, kind, name } = part;
  const end = /, [^,]+$/.exec(name)?.[0];
  const names = [
    `${kind} ${name}`,
    ...(end === undefined ? [] : [`${kind} ${String(name.split(' ')[0])} **${end}`, `${kind} **${end}`]),
    `${kind} **`,
    // Of each kind of it.
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
