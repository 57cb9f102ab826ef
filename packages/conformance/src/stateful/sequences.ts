// Runs random journeys, and shortens one that shows a fault.
import * as fc from 'fast-check';
import type { CaseResult } from '../run-case';
import type { Journey } from './journey';
import { FindingsFound, RANDOM_STEPS } from './random-steps';
import { deleteInstance } from './steps';

/** The number and length of random journeys. */
export interface SequenceOptions {
  /** The same seed gives the same journeys. */
  readonly seed: number;
  readonly runs: number;
  /** The largest number of steps. */
  readonly length: number;
}

/**
 * Runs random journeys through a resource. When one has findings, fast-check shrinks it: it leaves out steps as long as
 * the journey still has findings.
 *
 * @returns the results of the shortest journey with findings; empty if no journey has findings
 * @throws Error when the suite itself fails
 */
export async function findShortestFailure(
  start: () => Journey,
  { seed, runs, length }: SequenceOptions,
): Promise<readonly CaseResult[]> {
  // A journey that fast-check runs later, after shrinking, is shorter.
  let shortest: readonly CaseResult[] = [];
  const property = fc.asyncProperty(
    fc.commands(RANDOM_STEPS, { maxCommands: length, size: 'max' }),
    async (commands) => {
      const journey = start();
      const results: CaseResult[] = [];
      try {
        // Each command is a step: it runs with the journey, and adds the results of its requests.
        await fc.asyncModelRun(() => ({ model: journey, real: results }), commands);
      } catch (error) {
        if (error instanceof FindingsFound) shortest = [...results];
        throw error;
      } finally {
        // Leave nothing behind for the next journey.
        for (const tracked of journey.created) if (!tracked.isDeleted) await deleteInstance(journey, tracked);
      }
    },
  );
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: runs });
  // A failure without findings is an error of the suite itself, and must not count as success.
  if (failed && shortest.length === 0)
    throw new Error('the journeys cannot be made or judged', { cause: errorInstance });
  return shortest;
}
