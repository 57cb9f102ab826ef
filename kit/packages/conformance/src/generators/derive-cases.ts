import { CLASSES, levelOf, type Case, type CaseKind, type Draft, type Expectation } from './case';
import { CaseBudget, type ChosenCases } from './case-budget';
import type { Model, Operation } from '../contract/model';
import { includes, type Level } from '../contract/standards';
import type { WireRequest } from '../wire/request';
import { createAuthCases } from './auth';
import { createFaultCases } from './fault';
import { createMalformedCases } from './malformed';
import { createMediaCases } from './media';
import { createMethodCases, createPathCases } from './path';
import { createNegativeCases, createPositiveCases } from './body';
import { createParameterCases } from './parameter';
import { skipReasonOf } from './valid-request';
import type { Values } from '../values/variant';
import { MAX_STEPS } from '../validation/work-limit';

export interface DeriveOptions {
  /** The value of string properties that allow it, so that people recognize created data. */
  readonly marker: string;
  /** Selects the operations that get cases; all by default. */
  readonly isTried?: (operation: Operation) => boolean;
  /** Selects the cases of the suite; all by default. */
  readonly isWanted?: (kind: CaseKind) => boolean;
  /** The maximum number of cases; 5,000 by default. One case for each rule of each operation is chosen first. */
  readonly maxCases?: number;
  /** Called before the cases of each operation are derived. */
  readonly onOperation?: () => void;
}

export const DEFAULT_MAX_CASES = 5_000;

type ClassName = (typeof CLASSES)[number];

type Generator = (values: Values, operation: Operation, model: Model) => Draft[];

const GENERATORS: Readonly<Record<ClassName, Generator>> = {
  positive: createPositiveCases,
  negative: createNegativeCases,
  malformed: createMalformedCases,
  'media-type': createMediaCases,
  auth: createAuthCases,
  method: createMethodCases,
  path: createPathCases,
  parameter: createParameterCases,
  fault: createFaultCases,
};

export function generateCases(
  names: readonly ClassName[],
  { model, values }: { readonly model: Model; readonly values: Values },
  operation: Operation,
): Case[] {
  return names.flatMap((name) => {
    const generate = (): Draft[] => GENERATORS[name](values, operation, model);
    const drafts = model.contract.skipped.attempt(generate, []);
    const place = `${operation.method} ${operation.path}`;
    return drafts.map((draft) => ({ ...draft, operation: operation.id, place, class: name }));
  });
}

export interface DerivedCases extends ChosenCases {
  readonly values: Values;
  readonly unwanted: number;
  /** Operations without cases, because their schemas take too long to process. */
  readonly slowOperations: ReadonlySet<Operation>;
}

// Maximum depths of the tested part of a value. The next depth is tried only if no case was left out.
const DEPTHS = [1, 3, 9, Infinity];

/** Derives cases in a stable order. Parts that the suite cannot make cases for go on the skipped list. */
export function deriveCases(
  model: Model,
  createValues: (maxDepth: number) => Values,
  options: DeriveOptions,
  level: Level,
): DerivedCases {
  const { isTried = () => true, isWanted = () => true, maxCases = DEFAULT_MAX_CASES } = options;
  const { onOperation = () => undefined } = options;
  const { skipped } = model.contract;
  const operations = model.operations.filter(isTried);
  // The deepest values that are fast enough for an operation, or undefined if none are.
  const fallbacks = new Map<Operation, Values | undefined>();
  // The number of steps left for deeper values, shared by all operations.
  let stepsLeft = MAX_STEPS;
  const derive = (operation: Operation, values: Values, shallower: Values | undefined): Case[] => {
    const usableValues = fallbacks.has(operation) ? fallbacks.get(operation) : values;
    if (!usableValues) return [];
    const generateAll = (): Case[] => generateCases(CLASSES, { model, values: usableValues }, operation);
    const isDeeper = shallower !== undefined && usableValues === values;
    const { result, steps } = usableValues.workLimit.run(generateAll, isDeeper ? stepsLeft / 2 : MAX_STEPS);
    if (isDeeper) stepsLeft -= steps;
    if (result) return result.filter((testCase) => includes(level, levelOf(testCase)));
    fallbacks.set(operation, usableValues === shallower ? undefined : shallower);
    return derive(operation, values, shallower);
  };
  const deriveAll = (values: Values, shallowerValues: Values | undefined): Omit<DerivedCases, 'slowOperations'> => {
    const budget = new CaseBudget(maxCases);
    let unwanted = 0;
    for (const operation of operations) {
      onOperation();
      const cases = derive(operation, values, shallowerValues).filter((testCase) => {
        const skipReason = skipReasonOfCase(values, operation, testCase);
        if (skipReason) skipped.add(skipReason);
        return skipReason === undefined;
      });
      // Only a run knows which resources it created, so it filters the cases again.
      const wantedCases = cases.filter((testCase) => isWanted({ ...testCase, operation, isOnCreatedResource: true }));
      unwanted += cases.length - wantedCases.length;
      budget.addOperation(wantedCases);
    }
    return { ...budget.choose(), values, unwanted };
  };
  const [firstDepth = 0, ...deeperDepths] = DEPTHS;
  const resetSkipped = skipped.createReset();
  let derived = deriveAll(createValues(firstDepth), undefined);
  for (const depth of deeperDepths) {
    if (derived.values.tooDeep.size === 0 || derived.leftOut.size > 0) break;
    resetSkipped();
    derived = deriveAll(createValues(depth), derived.values);
  }
  const slowOperations = new Set<Operation>();
  for (const [operation, values] of fallbacks) {
    const reason = values ? 'values that are nested too deep to be made in time' : SLOW_SCHEMAS_REASON;
    skipped.add({ reason, pointer: operation.pointer });
    if (!values) slowOperations.add(operation);
  }
  return { ...derived, slowOperations };
}

const SLOW_SCHEMAS_REASON = 'operations whose schemas take too long to process';

function skipReasonOfCase(values: Values, operation: Operation, testCase: Case): WireRequest['skipReason'] {
  return NEEDS_VALID_REQUEST.has(testCase.expect) ? skipReasonOf(values, operation, testCase.request) : undefined;
}

// Expectations that only an entirely valid request can meet.
const NEEDS_VALID_REQUEST: ReadonlySet<Expectation> = new Set(['accepted', 'failed', 'unavailable']);
