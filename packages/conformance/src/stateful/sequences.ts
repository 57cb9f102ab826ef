import * as fc from 'fast-check';
import type { CaseResult } from '../run-case';
import type { Journey, Known } from './journey';
import { checkList } from './list-made';
import { createOne, followLocation, readOne, deleteOne } from './steps';
import { changeUnconditionally, update } from './write';

/** The number and length of random journeys. */
export interface SequenceOptions {
  /** The same seed gives the same journeys. */
  readonly seed: number;
  readonly runs: number;
  /** The largest number of steps. */
  readonly length: number;
}

// More things show no more faults.
const MAX_MADE = 4;

/**
 * Runs random journeys through a resource: things are created, read, changed, deleted and listed in any order.
 *
 * @param start begins a journey without any things
 * @returns the results of the shortest journey with findings, after shrinking; empty if there is none
 * @example await findShortest(() => ({ tools, things, lifecycle, made: [] }), { seed: 1, runs: 20, length: 12 })
 */
export async function findShortest(
  start: () => Journey,
  { seed, runs, length }: SequenceOptions,
): Promise<readonly CaseResult[]> {
  let shortest: readonly CaseResult[] = [];
  const property = fc.asyncProperty(fc.commands(STEPS, { maxCommands: length, size: 'max' }), async (commands) => {
    const journey = start();
    const trace: CaseResult[] = [];
    try {
      await fc.asyncModelRun(() => ({ model: journey, real: trace }), commands);
    } catch (error) {
      if (error instanceof Wrong) shortest = [...trace];
      throw error;
    } finally {
      // Leave nothing behind for the next journey.
      for (const known of journey.made) if (!known.isGone) await deleteOne(journey, known);
    }
  });
  const { failed, errorInstance } = await fc.check(property, { seed, numRuns: runs });
  // An error of the suite itself must not count as success.
  if (failed && shortest.length === 0)
    throw new Error('the journeys cannot be made or judged', { cause: errorInstance });
  return shortest;
}

class Wrong extends Error {}

type Take = (journey: Journey, known: Known) => Promise<readonly CaseResult[]>;

/** A step of a journey with one of its things. */
class Step implements fc.AsyncCommand<Journey, CaseResult[]> {
  readonly #name: string;
  readonly #which: number;
  readonly #take: Take;

  constructor(name: string, which: number, take: Take) {
    this.#name = name;
    this.#which = which;
    this.#take = take;
  }

  check({ made }: Readonly<Journey>): boolean {
    return made.length > 0;
  }

  async run(journey: Journey, trace: CaseResult[]): Promise<void> {
    const known = journey.made[this.#which % journey.made.length];
    if (known) recordResults(trace, await this.#take(journey, known));
  }

  toString(): string {
    return `${this.#name} ${String(this.#which)}`;
  }
}

class Create implements fc.AsyncCommand<Journey, CaseResult[]> {
  readonly #choice: number;

  constructor(choice: number) {
    this.#choice = choice;
  }

  check({ made }: Readonly<Journey>): boolean {
    return made.length < MAX_MADE;
  }

  async run(journey: Journey, trace: CaseResult[]): Promise<void> {
    recordResults(trace, await createOne(journey, this.#choice));
  }

  toString(): string {
    return `create ${String(this.#choice)}`;
  }
}

function recordResults(trace: CaseResult[], results: readonly CaseResult[]): void {
  trace.push(...results);
  if (results.some(({ findings }) => findings.length > 0)) throw new Wrong();
}

const choices = fc.nat({ max: 7 });

function stepOnOne(
  name: string,
  take: (journey: Journey, known: Known, choice: number) => ReturnType<Take>,
): fc.Arbitrary<Step> {
  return fc
    .tuple(fc.nat({ max: MAX_MADE - 1 }), choices)
    .map(([which, choice]) => new Step(name, which, (journey, known) => take(journey, known, choice)));
}

// Repeated entries are chosen more often.
const STEPS = [
  choices.map((choice) => new Create(choice)),
  choices.map((choice) => new Create(choice)),
  stepOnOne('read', readOne),
  stepOnOne('read again', readOne),
  stepOnOne('follow Location of', followLocation),
  stepOnOne('list, of', checkList),
  stepOnOne('replace', (journey, known, choice) => update(journey, known, journey.lifecycle.replace, choice)),
  stepOnOne('change', (journey, known, choice) => update(journey, known, journey.lifecycle.change, choice)),
  stepOnOne('delete', deleteOne),
  stepOnOne('blindly replace', (journey, known, choice) =>
    changeUnconditionally(journey, known, journey.lifecycle.replace, choice % 2 === 0),
  ),
  stepOnOne('blindly change', (journey, known, choice) =>
    changeUnconditionally(journey, known, journey.lifecycle.change, choice % 2 === 0),
  ),
];
