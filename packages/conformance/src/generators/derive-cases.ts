// Derives the cases of a contract.
import { CLASSES, levelOf, type Case, type Draft, type Expectation } from './case';
import type { Model, Operation } from '../contract/model';
import { includes, type Level } from '../contract/standards';
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
  readonly marker: string;
  /** Which operations get cases; all by default. */
  readonly isTried?: (operation: Operation) => boolean;
}

type ClassName = (typeof CLASSES)[number];

type Generator = (values: Values, operation: Operation, model: Model, bodyLimit: number) => Draft[];

const GENERATORS: Readonly<Record<ClassName, Generator>> = {
  positive: createPositiveCases,
  negative: createNegativeCases,
  malformed: createMalformedCases,
  'media-type': createMediaCases,
  size: (values, operation, _model, bodyLimit) => createSizeCases(values, operation, bodyLimit),
  auth: createAuthCases,
  method: createMethodCases,
  path: createPathCases,
  parameter: createParameterCases,
  repeat: createRepeatCases,
  connection: createConnectionCases,
  fault: createFaultCases,
};

/** The cases of some classes. Only `size` needs `bodyLimit`. */
export function generateCases(
  names: readonly ClassName[],
  { model, values }: { readonly model: Model; readonly values: Values },
  operation: Operation,
  bodyLimit = 0,
): Case[] {
  return names.flatMap((name) => {
    const generate = (): Draft[] => GENERATORS[name](values, operation, model, bodyLimit);
    const drafts = model.contract.skipped.attempt(generate, []);
    return drafts.map((draft) => ({ ...draft, operation: operation.id, class: name }));
  });
}

/** The cases of a level, always in the same order. What no case of it can be made for is listed as skipped. */
export function deriveCases(
  model: Model,
  values: Values,
  options: DeriveOptions,
  level: Level,
): { readonly cases: Case[]; readonly tooLong: ReadonlySet<Operation> } {
  const tooLong = new Set<Operation>();
  const { skipped } = model.contract;
  const { isTried = () => true, bodyLimit } = options;
  const derived = model.operations.filter(isTried).flatMap((operation) => {
    const generateAll = (): Case[] => generateCases(CLASSES, { model, values }, operation, bodyLimit);
    const ofOperation = values.workLimit.run(generateAll, undefined);
    if (ofOperation) return ofOperation;
    tooLong.add(operation);
    skipped.add({ reason: 'operations whose schemas take too long to process', pointer: operation.pointer });
    return [];
  });
  const ofLevel = derived.filter((testCase) => includes(level, levelOf(testCase)));
  const cases = ofLevel.filter((testCase) => {
    const skipReason = skipReasonOfCase(testCase);
    if (skipReason) skipped.add(skipReason);
    return skipReason === undefined;
  });
  return { cases, tooLong };
}

// Why the suite does not know whether a request is valid, if the expected reply depends on that.
function skipReasonOfCase(testCase: Case): WireRequest['skipReason'] {
  const requests = testCase.before ? [testCase.before, testCase] : [testCase];
  const skipReasons = requests.map(({ expect, request }) => (NEEDS_VALID.has(expect) ? request.skipReason : undefined));
  return skipReasons.find((skipReason) => skipReason !== undefined);
}

// Only an entirely valid request has these replies.
const NEEDS_VALID: ReadonlySet<Expectation> = new Set(['accepted', 'failed', 'unavailable']);
