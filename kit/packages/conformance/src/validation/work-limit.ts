// Stops work that takes too long, such as making values for schemas with many nested branches.

/** The default limit, about four seconds of work. Unlike a time, a number of steps is the same on every machine. */
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

  /** Counts a step. Beyond the limit, throws an error that `attempt` does not catch. */
  step(): void {
    this.#remainingSteps -= 1;
    if (this.#remainingSteps < 0) throw new WorkLimitError();
  }
}
