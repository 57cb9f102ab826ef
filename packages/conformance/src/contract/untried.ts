// The list of what no case can be made for, with reasons.

/** What no cases are made for, by the reason. */
export interface Untried {
  /** Such as `the format colour`. */
  readonly reason: string;
  /** JSON pointers into the contract. */
  readonly places: readonly string[];
}

/** No cases can be made for a place in the contract. That is never the server's fault. */
export class Untriable extends Error {
  readonly reason: string;
  readonly pointer: string;

  constructor(reason: string, pointer: string) {
    super(`${pointer}: no cases can be made for ${reason}`);
    this.reason = reason;
    this.pointer = pointer;
  }
}

/** Does some work, or else what is left to do where no cases can be made. */
export function attempt<T>(work: () => T, otherwise: (problem: Untriable) => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof Untriable)) throw error;
    return otherwise(error);
  }
}

/** The reasons that were met so far, each with its places. */
export class UntriedList {
  readonly #places = new Map<string, Set<string>>();

  add({ reason, pointer }: Pick<Untriable, 'reason' | 'pointer'>): void {
    const places = this.#places.get(reason) ?? new Set();
    this.#places.set(reason, places.add(pointer));
  }

  /** Does some work; what no cases can be made for is added, and done without. */
  attempt<T>(work: () => T, otherwise: T): T {
    return attempt(work, (problem) => {
      this.add(problem);
      return otherwise;
    });
  }

  list(): Untried[] {
    return [...this.#places].map(([reason, places]) => ({ reason, places: [...places] }));
  }
}
