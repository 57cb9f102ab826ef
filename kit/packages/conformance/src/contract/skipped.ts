// Collects the parts of a contract that no cases can be made for, with reasons.

/** A reason why no cases are made, and where it applies. */
export interface Skipped {
  /** Such as `the format colour`. */
  readonly reason: string;
  /** JSON pointers into the contract. */
  readonly places: readonly string[];
}

/** Thrown when no cases can be made for a part of the contract, which is not a finding against the server. */
export class SkippedError extends Error {
  readonly reason: string;
  readonly pointer: string;

  constructor(reason: string, pointer: string) {
    super(`${pointer}: no cases can be made for ${reason}`);
    this.reason = reason;
    this.pointer = pointer;
  }
}

/** Returns the result of `otherwise` when `work` throws a SkippedError. */
export function attempt<T>(work: () => T, otherwise: (reason: SkippedError) => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SkippedError)) throw error;
    return otherwise(error);
  }
}

export class SkippedList {
  #pointers = new Map<string, Set<string>>();

  add({ reason, pointer }: Pick<SkippedError, 'reason' | 'pointer'>): void {
    const pointers = this.#pointers.get(reason) ?? new Set();
    this.#pointers.set(reason, pointers.add(pointer));
  }

  /** Returns `otherwise` when `work` throws a SkippedError, and adds that to the list. */
  attempt<T>(work: () => T, otherwise: T): T {
    return attempt(work, (reason) => {
      this.add(reason);
      return otherwise;
    });
  }

  /** Returns a function that forgets what is added from now on. */
  mark(): () => void {
    const marked = [...this.#pointers].map(([reason, pointers]) => [reason, [...pointers]] as const);
    return () => {
      this.#pointers = new Map(marked.map(([reason, pointers]) => [reason, new Set(pointers)]));
    };
  }

  list(): Skipped[] {
    return [...this.#pointers].map(([reason, pointers]) => ({ reason, places: [...pointers] }));
  }
}
