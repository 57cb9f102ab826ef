// Ends work that takes too long, such as the values of schemas with many branches inside each other.

// Of the processor, in microseconds: how busy the machine is does not count.
const LIMIT = 2_000_000;

class TookTooLong extends Error {}

/** Bounds the time of work that calls `check` often. */
export class TimeLimit {
  #end = Infinity;

  /** Returns `otherwise` when the work takes more than two seconds of the processor. */
  run<T>(work: () => T, otherwise: T): T {
    this.#end = processorTime() + LIMIT;
    try {
      return work();
    } catch (error) {
      if (error instanceof TookTooLong) return otherwise;
      throw error;
    } finally {
      this.#end = Infinity;
    }
  }

  /** Ends the work that runs, if its time is over: no `attempt` catches that. */
  check(): void {
    if (this.#end !== Infinity && processorTime() > this.#end) throw new TookTooLong();
  }
}

function processorTime(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}
