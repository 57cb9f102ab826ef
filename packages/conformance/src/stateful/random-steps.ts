// The steps of random journeys, as commands of fast-check.
import * as fc from 'fast-check';
import type { CaseResult } from '../run-case';
import { changeUnconditionally, update } from './change-instance';
import { checkList } from './check-list';
import type { Journey, TrackedInstance } from './journey';
import { createInstance, deleteInstance, followLocation, readInstance } from './steps';

// More instances show no more faults.
const MAX_INSTANCES = 4;

/** Ends a journey whose latest request has findings. */
export class FindingsFound extends Error {}

type SendStep = (journey: Journey, tracked: TrackedInstance) => Promise<readonly CaseResult[]>;

class StepWithInstance implements fc.AsyncCommand<Journey, CaseResult[]> {
  readonly #name: string;
  readonly #instanceNumber: number;
  readonly #send: SendStep;

  constructor(name: string, instanceNumber: number, send: SendStep) {
    this.#name = name;
    this.#instanceNumber = instanceNumber;
    this.#send = send;
  }

  check({ created }: Readonly<Journey>): boolean {
    return created.length > 0;
  }

  // The instance number may be larger than the count of the instances so far.
  async run(journey: Journey, results: CaseResult[]): Promise<void> {
    const tracked = journey.created[this.#instanceNumber % journey.created.length];
    if (tracked) addResults(results, await this.#send(journey, tracked));
  }

  toString(): string {
    return `${this.#name} ${String(this.#instanceNumber)}`;
  }
}

class CreateStep implements fc.AsyncCommand<Journey, CaseResult[]> {
  readonly #bodyNumber: number;

  constructor(bodyNumber: number) {
    this.#bodyNumber = bodyNumber;
  }

  check({ created }: Readonly<Journey>): boolean {
    return created.length < MAX_INSTANCES;
  }

  async run(journey: Journey, results: CaseResult[]): Promise<void> {
    addResults(results, await createInstance(journey, this.#bodyNumber));
  }

  toString(): string {
    return `create ${String(this.#bodyNumber)}`;
  }
}

/** @throws FindingsFound if there are findings, so that the journey ends here and fast-check shortens it */
function addResults(results: CaseResult[], added: readonly CaseResult[]): void {
  results.push(...added);
  if (added.some(({ findings }) => findings.length > 0)) throw new FindingsFound();
}

// One of eight bodies, or of two ways to change something: a step takes the number modulo what there is.
const variantNumbers = fc.nat({ max: 7 });

function stepsWithInstance(
  name: string,
  send: (journey: Journey, tracked: TrackedInstance, variantNumber: number) => ReturnType<SendStep>,
): fc.Arbitrary<StepWithInstance> {
  const instanceNumbers = fc.nat({ max: MAX_INSTANCES - 1 });
  return fc
    .tuple(instanceNumbers, variantNumbers)
    .map(
      ([instanceNumber, variantNumber]) =>
        new StepWithInstance(name, instanceNumber, (journey, tracked) => send(journey, tracked, variantNumber)),
    );
}

// The steps that a random journey is made of. Repeated entries are chosen more often.
export const RANDOM_STEPS = [
  variantNumbers.map((bodyNumber) => new CreateStep(bodyNumber)),
  variantNumbers.map((bodyNumber) => new CreateStep(bodyNumber)),
  stepsWithInstance('read', readInstance),
  stepsWithInstance('read again', readInstance),
  stepsWithInstance('follow Location of', followLocation),
  stepsWithInstance('list, of', checkList),
  stepsWithInstance('replace', (journey, tracked, bodyNumber) =>
    update(journey, tracked, journey.lifecycle.replace, bodyNumber),
  ),
  stepsWithInstance('change', (journey, tracked, bodyNumber) =>
    update(journey, tracked, journey.lifecycle.patch, bodyNumber),
  ),
  stepsWithInstance('delete', deleteInstance),
  stepsWithInstance('blindly replace', (journey, tracked, number) =>
    changeUnconditionally(journey, tracked, journey.lifecycle.replace, number % 2 === 0 ? 'old' : 'none'),
  ),
  stepsWithInstance('blindly change', (journey, tracked, number) =>
    changeUnconditionally(journey, tracked, journey.lifecycle.patch, number % 2 === 0 ? 'old' : 'none'),
  ),
];
