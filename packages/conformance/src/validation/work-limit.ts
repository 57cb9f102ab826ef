// Ends work that takes too long, such as the values of schemas with many branches inside each other.

// About four seconds. A count is the same on each machine, however busy that is; a time is not.
const LIMIT = 4_000_000;

class TookTooLong extends Error {}

/** Bounds work by its steps: a schema that is applied to a value, or a schema that a value is made for. */
export class WorkLimit {
  #left = Infinity;

  /** Returns `otherwise` when the work takes too many steps. */
  run<T>(work: () => T, otherwise: T): T {
    this.#left = LIMIT;
    try {
      return work();
    } catch (error) {
      if (error instanceof TookTooLong) return otherwise;
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
