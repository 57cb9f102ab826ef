/** Why the suite makes no cases for some parts of a contract. */
export interface Skipped {
  /** Such as `the format colour`. */
  readonly reason: string;
  /** JSON pointers into the contract. */
  readonly places: readonly string[];
}

/** Whether the reason is a mistake in the contract. */
export function isMistake({ reason }: Skipped): boolean {
  return /^(?:a malformed|a value that is not|references to values|patterns that are not|undeclared) /.test(reason);
}

/** Thrown if the suite cannot make cases for a part of the contract. This is not a finding about the server. */
export class SkippedError extends Error {
  readonly reason: string;
  readonly pointer: string;

  constructor(reason: string, pointer: string) {
    super(`${pointer}: no cases can be made for ${reason}`);
    this.reason = reason;
    this.pointer = pointer;
  }
}

/** Returns the result of `createFallback` if `work` throws a SkippedError. */
export function attempt<T>(work: () => T, createFallback: (reason: SkippedError) => T): T {
  try {
    return work();
  } catch (error) {
    if (!(error instanceof SkippedError)) throw error;
    return createFallback(error);
  }
}

export class SkippedList {
  #pointers = new Map<string, Set<string>>();

  add({ reason, pointer }: Pick<SkippedError, 'reason' | 'pointer'>): void {
    const pointers = this.#pointers.get(reason) ?? new Set();
    this.#pointers.set(reason, pointers.add(pointer));
  }

  /** If `work` throws a SkippedError, adds the error to the list and returns `fallback`. */
  attempt<T>(work: () => T, fallback: T): T {
    return attempt(work, (reason) => {
      this.add(reason);
      return fallback;
    });
  }

  /** Returns a function that restores the current list. */
  createReset(): () => void {
    const savedPointers = [...this.#pointers].map(([reason, pointers]) => [reason, [...pointers]] as const);
    return () => {
      this.#pointers = new Map(savedPointers.map(([reason, pointers]) => [reason, new Set(pointers)]));
    };
  }

  /** Mistakes come first. */
  list(): Skipped[] {
    const all = [...this.#pointers].map(([reason, pointers]) => ({ reason, places: [...pointers] }));
    return all.toSorted((one, other) => Number(isMistake(other)) - Number(isMistake(one)));
  }
}
