// Stops work that takes too long, such as making values for schemas with many nested branches.

/** About four seconds. Unlike time, a count does not depend on the machine. */
export const MAX_STEPS = 4_000_000;

class TookTooLong extends Error {}

/** A step applies a schema to a value, or makes a value for a schema. */
export class WorkLimit {
  #left = Infinity;

  /** `result` is undefined when the work takes too many steps. */
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

  /** Throws beyond the limit, and no `attempt` catches that. */
  step(): void {
    this.#left -= 1;
    if (this.#left < 0) throw new TookTooLong();
  }
}
