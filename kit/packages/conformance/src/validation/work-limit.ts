// Ends work that takes too long, such as the values of schemas with many branches inside each other.

/** About four seconds. A count is the same on each machine, however busy that is; a time is not. */
export const MAX_STEPS = 4_000_000;

class TookTooLong extends Error {}

/** Bounds work by its steps: a schema that is applied to a value, or a schema that a value is made for. */
export class WorkLimit {
  #left = Infinity;

  /** Returns the steps of the work, and its result, which is undefined when it takes too many. */
  run<T>(work: () => T, maxSteps = MAX_STEPS): { readonly result: T | undefined; readonly steps: number } {
    this.#left = maxSteps;
    try {
      const result = work();
      return { result, steps: maxSteps - this.#left };
    } catch (error) {
      if (error instanceof TookTooLong) return { result: undefined, steps: maxSteps };
      throw error;
    } finally {
      this.#left = Infinity;
    }
  }

  /** Counts a step of the work that runs. Ends it if that is one too many: no `attempt` catches that. */
  step(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new TookTooLong();
  }
}
