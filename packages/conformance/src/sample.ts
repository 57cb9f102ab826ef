import { createHash } from 'node:crypto';
import { titleOf, type Case } from './case';

/** How many cases of an operation are sent, and the seed of the choice. */
export interface Sample {
  readonly count: number;
  readonly seed: number;
}

/**
 * Chooses about `count` cases of each operation, in their order: at least one of each class and kind of rule, and then
 * the others in turn. The same seed makes the same choice.
 */
export function sampleCases(cases: readonly Case[], { count, seed }: Sample): Case[] {
  const chosen = new Set<Case>();
  for (const own of Map.groupBy(cases, ({ operation }) => operation).values()) {
    const shuffled = own.toSorted(compareBy((testCase) => hash(`${String(seed)} ${titleOf(testCase)}`)));
    const kinds = [...Map.groupBy(shuffled, kindOf).values()];
    // The first of each kind, then the second of each.
    const ranked = kinds
      .flatMap((kind) => kind.map((testCase, rank) => ({ one: testCase, rank })))
      .toSorted(compareBy(({ rank }) => rank));
    for (const { one } of ranked.slice(0, Math.max(count, kinds.length))) chosen.add(one);
  }
  return cases.filter((testCase) => chosen.has(testCase));
}

/** The kind of a case: its class, expectation, keyword and situation. */
function kindOf({ class: name, expect, keyword, covers: [rule = ''], situation }: Case): string {
  return [name, expect, keyword ?? rule.slice(rule.lastIndexOf(' ') + 1), situation ?? ''].join(' ');
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
