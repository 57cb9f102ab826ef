/** How far a contract gets. Each stage needs the one before it. */
export const STAGES = ['refused', 'made', 'compiles', 'starts'] as const;
export type Stage = (typeof STAGES)[number];

/** What the conformance suite says of the service with generated handlers. */
export type SuiteVerdict = 'green' | 'red' | 'not judged';

/** What came of a contract. */
export interface Outcome {
  readonly name: string;
  /** Why it is no OpenAPI 3.0 or 3.1, by a validator that is not ours; undefined if it is. */
  readonly invalid: string | undefined;
  readonly operations: number;
  readonly stage: Stage;
  /** What stopped it there: one text for each cause, without places. */
  readonly refusals: readonly string[];
  readonly advice: readonly string[];
  /** How long the stages took. */
  readonly milliseconds: Readonly<Partial<Record<'make' | 'compile' | 'start' | 'suite', number>>>;
  /** What the started service takes of the heap. */
  readonly megabytes: number | undefined;
  readonly suite: SuiteVerdict;
  /** Why it is red or not judged. */
  readonly suiteReason: string | undefined;
}

/** Whether the kit serves it. */
export function isServed({ stage }: Outcome): boolean {
  return stage === 'starts';
}

/** Of a contract whose process ended, or took too long, before the service started. */
export const LOST: Omit<Outcome, 'name'> = {
  invalid: undefined,
  operations: 0,
  stage: 'refused',
  refusals: ['it takes too long, or the process ended'],
  advice: [],
  milliseconds: {},
  megabytes: undefined,
  suite: 'not judged',
  suiteReason: undefined,
};
