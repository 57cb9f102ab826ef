import { ALL_CLASSES, type Case } from './case';

/** The chosen cases, in their original order. `leftOut` counts those that were not chosen, keyed by rule. */
export interface ChosenCases {
  readonly cases: Case[];
  readonly leftOut: ReadonlyMap<string, number>;
}

interface Candidate {
  readonly testCase: Case;
  readonly index: number;
  /** Compared number by number. The lowest is chosen first. */
  readonly ranks: readonly number[];
}

/** Chooses one case for each rule of each operation first, and then the cases that test the least nested parts. */
export class CaseBudget {
  readonly #maxCases: number;
  readonly #leftOut = new Map<string, number>();
  #kept: Candidate[] = [];
  #count = 0;

  constructor(maxCases: number) {
    this.#maxCases = maxCases;
  }

  addOperation(cases: readonly Case[]): void {
    const nextRank = createCounter();
    const nextTurn = createCounter();
    for (const testCase of cases) {
      const rank = nextRank([ruleOf(testCase), testCase.pointer, testCase.expect].join('\n'));
      const ranks = [Math.min(rank, 1), testCase.depth ?? 0, rank];
      // Alternate between classes and operations.
      const turn = nextTurn([testCase.class, ...ranks].join());
      this.#kept.push({ testCase, index: this.#count++, ranks: [...ranks, turn, ALL_CLASSES.indexOf(testCase.class)] });
    }
    if (this.#kept.length > 2 * this.#maxCases) this.#leaveOut();
  }

  choose(): ChosenCases {
    if (this.#kept.length > this.#maxCases) this.#leaveOut();
    const chosen = this.#kept.toSorted((left, right) => left.index - right.index);
    return { cases: chosen.map(({ testCase }) => testCase), leftOut: this.#leftOut };
  }

  #leaveOut(): void {
    const sorted = this.#kept.toSorted(comparePriority);
    for (const { testCase } of sorted.slice(this.#maxCases)) {
      const rule = ruleOf(testCase);
      this.#leftOut.set(rule, (this.#leftOut.get(rule) ?? 0) + 1);
    }
    this.#kept = sorted.slice(0, this.#maxCases);
  }
}

/** Returns a class and a keyword, such as `negative maxLength`, or only the class. */
function ruleOf({ class: name, keyword }: Case): string {
  return keyword === undefined ? name : `${name} ${keyword}`;
}

function comparePriority(left: Candidate, right: Candidate): number {
  const position = left.ranks.findIndex((number, index) => number !== right.ranks[index]);
  return position < 0 ? left.index - right.index : Number(left.ranks[position]) - Number(right.ranks[position]);
}

function createCounter(): (key: string) => number {
  const counts = new Map<string, number>();
  return (key) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };
}
