// Stops work that takes too long, such as making values for schemas with many nested branches.

/** Takes about four seconds. Unlike a time limit, a number of steps means the same on every machine. */
export const MAX_STEPS = 4_000_000;

class WorkLimitError extends Error {}

/** Counts steps, each of which applies a schema to a value or makes a value for a schema. */
export class WorkLimit {
  #remainingSteps = Infinity;

  /** `result` is undefined when the work takes too many steps. */
  run<T>(work: () => T, maxSteps = MAX_STEPS): { readonly result: T | undefined; readonly steps: number } {
    this.#remainingSteps = maxSteps;
    try {
      const result = work();
      return { result, steps: maxSteps - this.#remainingSteps };
    } catch (error) {
      if (error instanceof WorkLimitError) return { result: undefined, steps: maxSteps };
      throw error;
    } finally {
      this.#remainingSteps = Infinity;
    }
  }

  /** Throws an error beyond the limit, which `attempt` does not catch. */
  step(): void {
    this.#remainingSteps -= 1;
    if (this.#remainingSteps < 0) throw new WorkLimitError();
  }
}
