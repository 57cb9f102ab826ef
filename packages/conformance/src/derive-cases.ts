// Derives the cases of a contract.
import type { Case, CLASSES, Expectation } from './case';
import type { Model, Operation } from './contract/model';
import type { Untriable } from './contract/untried';
import { createAuthCases } from './generators/auth';
import { createConnectionCases } from './generators/connection';
import { createFaultCases } from './generators/fault';
import { createMalformedCases } from './generators/malformed';
import { createMediaCases } from './generators/media';
import { createMethodCases } from './generators/method';
import { createNegativeCases } from './generators/negative';
import { createParameterCases } from './generators/parameter';
import { createPathCases } from './generators/path';
import { createPositiveCases } from './generators/positive';
import { createRepeatCases } from './generators/repeat';
import { createSizeCases } from './generators/size';
import type { Values } from './values/variant';

export interface DeriveOptions {
  /** The largest body that the server accepts, in bytes. */
  readonly bodyLimit: number;
  /** The string for properties where any string is valid, so that created data can be recognized. */
  readonly mark: string;
  /** Which operations get cases; all by default. */
  readonly isTried?: (operation: Operation) => boolean;
}

type Generator = (values: Values, operation: Operation, model: Model, options: DeriveOptions) => Case[];

const GENERATORS: Readonly<Record<(typeof CLASSES)[number], Generator>> = {
  positive: createPositiveCases,
  negative: createNegativeCases,
  malformed: createMalformedCases,
  media: createMediaCases,
  size: (values, operation, _model, { bodyLimit }) => createSizeCases(values, operation, bodyLimit),
  auth: createAuthCases,
  method: createMethodCases,
  path: createPathCases,
  parameter: createParameterCases,
  repeat: createRepeatCases,
  connection: createConnectionCases,
  fault: createFaultCases,
};

/** The cases are always in the same order. What no case can be made for is listed as untried. */
export function deriveCases(model: Model, values: Values, options: DeriveOptions): Case[] {
  const { untried } = model.contract;
  const { isTried = () => true } = options;
  const derived = model.operations
    .filter(isTried)
    .flatMap((operation) =>
      Object.values(GENERATORS).flatMap((generate) =>
        untried.attempt(() => generate(values, operation, model, options), []),
      ),
    );
  return derived.filter((testCase) => {
    const obstacle = obstacleOfCase(testCase);
    if (obstacle) untried.add(obstacle);
    return obstacle === undefined;
  });
}

// Why the suite does not know whether a request is valid, if the expected reply depends on that.
function obstacleOfCase(testCase: Case): Untriable | undefined {
  const requests = testCase.before ? [testCase.before, testCase] : [testCase];
  const obstacles = requests.map(({ expect, request }) => (NEEDS_VALID.has(expect) ? request.obstacle : undefined));
  return obstacles.find((obstacle) => obstacle !== undefined);
}

// Only an entirely valid request has these replies.
const NEEDS_VALID: ReadonlySet<Expectation> = new Set(['accepted', 'failed', 'unavailable']);
