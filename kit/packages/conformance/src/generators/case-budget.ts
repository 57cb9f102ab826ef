// Chooses which cases are sent when there are more than the budget allows.
import { ALL_CLASSES, type Case } from './case';

/** The chosen cases keep their order; `leftOut` counts the others by rule. */
export interface Chosen {
  readonly cases: Case[];
  readonly leftOut: ReadonlyMap<string, number>;
}

interface Candidate {
  readonly testCase: Case;
  readonly index: number;
  /** Smaller numbers are chosen first; the first number that differs decides. */
  readonly order: readonly number[];
}

/** Prefers one case of each rule of each operation, and then cases whose tested part is nested least. */
export class CaseBudget {
  readonly #maxCases: number;
  readonly #leftOut = new Map<string, number>();
  #kept: Candidate[] = [];
  #count = 0;

  constructor(maxCases: number) {
    this.#maxCases = maxCases;
  }

  addOperation(cases: readonly Case[]): void {
    const countOfRules = createCounter();
    const countOfOrders = createCounter();
    for (const testCase of cases) {
      const rank = countOfRules([ruleOf(testCase), testCase.pointer, testCase.expect].join('\n'));
      const order = [Math.min(rank, 1), testCase.depth ?? 0, rank];
      // Classes and operations take turns.
      const turn = countOfOrders([testCase.class, ...order].join());
      this.#kept.push({ testCase, index: this.#count++, order: [...order, turn, ALL_CLASSES.indexOf(testCase.class)] });
    }
    if (this.#kept.length > 2 * this.#maxCases) this.#leaveOut();
  }

  choose(): Chosen {
    if (this.#kept.length > this.#maxCases) this.#leaveOut();
    const inOrder = this.#kept.toSorted((left, right) => left.index - right.index);
    return { cases: inOrder.map(({ testCase }) => testCase), leftOut: this.#leftOut };
  }

  #leaveOut(): void {
    const sorted = this.#kept.toSorted(compare);
    for (const { testCase } of sorted.slice(this.#maxCases)) {
      const rule = ruleOf(testCase);
      this.#leftOut.set(rule, (this.#leftOut.get(rule) ?? 0) + 1);
    }
    this.#kept = sorted.slice(0, this.#maxCases);
  }
}

/** Returns `negative maxLength`, for example, or only the class when no keyword is tested. */
function ruleOf({ class: name, keyword }: Case): string {
  return keyword === undefined ? name : `${name} ${keyword}`;
}

function compare(left: Candidate, right: Candidate): number {
  const position = left.order.findIndex((number, index) => number !== right.order[index]);
  return position < 0 ? left.index - right.index : Number(left.order[position]) - Number(right.order[position]);
}

function createCounter(): (key: string) => number {
  const counts = new Map<string, number>();
  return (key) => {
    const count = counts.get(key) ?? 0;
    counts.set(key, count + 1);
    return count;
  };
}
