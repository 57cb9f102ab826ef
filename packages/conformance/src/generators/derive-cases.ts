// Derives the cases of a contract.
import type { Case, CLASSES, Expectation } from './case';
import type { Model, Operation } from '../contract/model';
import type { WireRequest } from '../wire/request';
import { createAuthCases } from './auth';
import { createConnectionCases, createFaultCases, createRepeatCases } from './connection';
import { createMalformedCases } from './malformed';
import { createMediaCases } from './media';
import { createMethodCases, createPathCases } from './path';
import { createNegativeCases, createPositiveCases } from './body';
import { createParameterCases } from './parameter';
import { createSizeCases } from './size';
import type { Values } from '../values/variant';

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
function obstacleOfCase(testCase: Case): WireRequest['obstacle'] {
  const requests = testCase.before ? [testCase.before, testCase] : [testCase];
  const obstacles = requests.map(({ expect, request }) => (NEEDS_VALID.has(expect) ? request.obstacle : undefined));
  return obstacles.find((obstacle) => obstacle !== undefined);
}

// Only an entirely valid request has these replies.
const NEEDS_VALID: ReadonlySet<Expectation> = new Set(['accepted', 'failed', 'unavailable']);
