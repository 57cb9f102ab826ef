// Chooses some of the cases of each operation.
import { createHash } from 'node:crypto';
import { titleOf, type Case } from '../generators/case';

export interface Sample {
  readonly count: number;
  readonly seed: number;
}

/** About `count` cases of each operation, in the original order; at least one of each kind, even if those are more. */
export function sampleCases(cases: readonly Case[], { count, seed }: Sample): Case[] {
  const chosen = new Set<Case>();
  for (const casesOfOperation of Map.groupBy(cases, ({ operation }) => operation).values()) {
    // Sorted by a hash, the order looks random, but depends only on the seed and the titles.
    const shuffled = casesOfOperation.toSorted(compareBy((testCase) => hash(`${String(seed)} ${titleOf(testCase)}`)));
    const kinds = [...Map.groupBy(shuffled, kindOf).values()];
    // The first case of each kind has rank 0, the second rank 1, and so on.
    const ranked = kinds
      .flatMap((casesOfKind) => casesOfKind.map((testCase, rank) => ({ testCase, rank })))
      .toSorted(compareBy(({ rank }) => rank));
    for (const { testCase } of ranked.slice(0, Math.max(count, kinds.length))) chosen.add(testCase);
  }
  return cases.filter((testCase) => chosen.has(testCase));
}

function kindOf({ class: name, expect, keyword, situation }: Case): string {
  return [name, expect, keyword, situation].join(' ');
}

function compareBy<Item>(keyOf: (item: Item) => string | number): (one: Item, other: Item) => number {
  return (one, other) => {
    const [left, right] = [keyOf(one), keyOf(other)];
    return left < right ? -1 : left > right ? 1 : 0;
  };
}

function hash(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
