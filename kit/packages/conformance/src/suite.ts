// Creates the suite of a contract.
import type { Case } from './generators/case';
import { readModel, type Model, type Content, type Example } from './contract/model';
import type { Skipped } from './contract/skipped';
import { DEFAULT_MAX_CASES, deriveCases, type DeriveOptions } from './generators/derive-cases';
import type { Level } from './contract/standards';
import type { Oracle } from './oracle/checks';
import { createCoverage, type Coverage } from './oracle/coverage';
import { createValidator, type Validate } from './validation/validator';
import { WorkLimit } from './validation/work-limit';
import type { Fixtures } from './values/fixtures';
import { createValues } from './values/values';
import type { Values } from './values/variant';
import type { Secrets } from './wire/secret';
import type { Schema } from './contract/schema';
import { judgeBySchema } from './oracle/body';

/** What the suite must know in addition to the contract. */
export interface SuiteOptions extends DeriveOptions {
  /** The level at which a server is checked; `contract` by default. */
  readonly level?: Level;
  /** Whether credentials for a security scheme are given; for all schemes by default. */
  readonly hasCredentials?: (scheme: string) => boolean;
  /** Whether credentials without any scope are given for a security scheme; for no scheme by default. */
  readonly hasUnscoped?: (scheme: string) => boolean;
  /** Values where the suite cannot make any. */
  readonly fixtures?: Fixtures;
}

/** Everything that is derived from a contract. */
export interface Suite {
  readonly model: Model;
  readonly values: Values;
  readonly cases: readonly Case[];
  /** How many cases `isWanted` excludes. */
  readonly unwanted: number;
  /** How many cases of each rule, such as `negative maxLength`, are left out because of `maxCases`. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** How many schemas are nested too deep to be tried with `maxCases`. */
  readonly tooDeep: number;
  readonly maxCases: number;
  readonly level: Level;
  readonly coverage: Coverage;
  /** The parts of the contract without cases, and why; a run may add to them. */
  readonly skipped: () => readonly Skipped[];
  readonly oracleFor: (secrets: Secrets) => Oracle;
}

/**
 * Derives the suite of a contract: its cases, and what is needed to send and check them.
 *
 * @throws Error when the text is not an OpenAPI contract
 * @example const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), { marker: 'made-by-the-suite' })
 */
export function createSuite(
  contract: string,
  { level = 'contract', fixtures, hasCredentials, hasUnscoped, ...options }: SuiteOptions,
): Suite {
  const wholeModel = readModel(contract, {
    ...(hasCredentials && { hasCredentials }),
    ...(hasUnscoped && { hasUnscoped }),
  });
  const { root, rootWithDiscriminators, dialect } = wholeModel.contract;
  const workLimit = new WorkLimit();
  const validate = createValidator({ root, dialect }, fixtures, workLimit);
  // Ignores discriminators, which `validate` applies.
  const validateWithoutDiscriminators =
    rootWithDiscriminators === root
      ? validate
      : createValidator({ root: rootWithDiscriminators, dialect }, fixtures, workLimit);
  for (const pointer of findInvalidExamples(wholeModel, validate)) {
    wholeModel.contract.skipped.add({ reason: 'examples that do not fit their schema', pointer });
  }
  const createLevel = (maxDepth: number): Values =>
    createValues(validate, options.marker, fixtures, { validateWithoutDiscriminators, workLimit, maxDepth });
  const { cases, values, tooLong, unwanted, leftOut } = deriveCases(wholeModel, createLevel, options, level);
  // Operations that take too long are not tried at all.
  const model = { ...wholeModel, operations: wholeModel.operations.filter((operation) => !tooLong.has(operation)) };
  return {
    model,
    values,
    level,
    cases,
    unwanted,
    leftOut,
    tooDeep: values.tooDeep.size,
    maxCases: options.maxCases ?? DEFAULT_MAX_CASES,
    coverage: createCoverage(model, level),
    skipped: () => model.contract.skipped.list(),
    oracleFor: (secrets) => ({
      model,
      validate: acceptEither(validate, validateWithoutDiscriminators),
      secrets,
      level,
    }),
  };
}

// Accepts what either one accepts. OpenAPI 3.0.4 and 3.1.1: a discriminator does not change which values are valid;
// earlier versions let it choose the schema.
function acceptEither(first: Validate, second: Validate): Validate {
  return (...args) => (second(...args).length === 0 ? [] : first(...args));
}

function findInvalidExamples({ operations }: Model, validate: Validate): string[] {
  return operations.flatMap(({ body, replies }) => {
    const repliedContents = [...replies.values()].flatMap(({ contents }) => contents);
    return [
      // A request may have undeclared properties, so its schema alone decides.
      ...pointersOfInvalid(body?.contents ?? [], ({ schemaObjects }, value) =>
        schemaObjects.flatMap(({ pointer }) => validate(pointer, value)),
      ),
      ...pointersOfInvalid(repliedContents, (schema, value) => judgeBySchema(validate, schema, value)),
    ];
  });
}

function pointersOfInvalid(
  contents: readonly Content[],
  judge: (schema: Schema, value: Example['value']) => readonly unknown[],
): string[] {
  return contents
    .filter(({ kind }) => kind === 'json' || kind === 'sequence')
    .flatMap(({ schema, examples }) => examples.filter(({ value }) => judge(schema, value).length > 0))
    .map(({ pointer }) => pointer);
}
