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

/** What the contract alone does not tell the suite. */
export interface SuiteOptions extends DeriveOptions {
  /** How strictly a server is checked; `contract` by default. */
  readonly level?: Level;
  /** Whether there are credentials for a security scheme; true by default. */
  readonly hasCredentials?: (scheme: string) => boolean;
  /** Whether there are credentials without scopes for a security scheme; false by default. */
  readonly hasUnscoped?: (scheme: string) => boolean;
  /** Values that the suite cannot generate. */
  readonly fixtures?: Fixtures;
}

/** Everything that is derived from a contract. */
export interface Suite {
  readonly model: Model;
  readonly values: Values;
  readonly cases: readonly Case[];
  /** Number of cases that `isWanted` excludes. */
  readonly unwanted: number;
  /** Number of cases left out because of `maxCases`, keyed by rule, such as `negative maxLength`. */
  readonly leftOut: ReadonlyMap<string, number>;
  /** Number of schemas that are nested too deep to fit into `maxCases`. */
  readonly tooDeep: number;
  readonly maxCases: number;
  readonly level: Level;
  readonly coverage: Coverage;
  /** The parts of the contract without cases, and the reasons. The list can grow during a run. */
  readonly skipped: () => readonly Skipped[];
  readonly oracleFor: (secrets: Secrets) => Oracle;
}

/**
 * Derives a suite from a contract: the cases, and everything needed to send and check them.
 *
 * @throws Error if the text is not an OpenAPI contract
 * @example const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), { marker: 'made-by-the-suite' })
 */
export function createSuite(
  contract: string,
  { level = 'contract', fixtures, hasCredentials, hasUnscoped, ...options }: SuiteOptions,
): Suite {
  const fullModel = readModel(contract, {
    ...(hasCredentials && { hasCredentials }),
    ...(hasUnscoped && { hasUnscoped }),
  });
  const { root, rootWithDiscriminators, dialect } = fullModel.contract;
  const workLimit = new WorkLimit();
  const validate = createValidator({ root, dialect }, fixtures, workLimit);
  const validateWithoutDiscriminators =
    rootWithDiscriminators === root
      ? validate
      : createValidator({ root: rootWithDiscriminators, dialect }, fixtures, workLimit);
  for (const pointer of findInvalidExamples(fullModel, validate)) {
    fullModel.contract.skipped.add({ reason: 'examples that do not fit their schema', pointer });
  }
  const createLevel = (maxDepth: number): Values =>
    createValues(validate, options.marker, fixtures, { validateWithoutDiscriminators, workLimit, maxDepth });
  const { cases, values, slowOperations, unwanted, leftOut } = deriveCases(fullModel, createLevel, options, level);
  const model = {
    ...fullModel,
    operations: fullModel.operations.filter((operation) => !slowOperations.has(operation)),
  };
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
      validate: acceptIfEitherAccepts(validate, validateWithoutDiscriminators),
      secrets,
      level,
    }),
  };
}

// In older versions of OpenAPI, a discriminator chooses the schema of a value. Since 3.0.4 and 3.1.1, it does not
// change which values are valid. So a value is accepted if it is valid either way.
function acceptIfEitherAccepts(first: Validate, second: Validate): Validate {
  return (...args) => (second(...args).length === 0 ? [] : first(...args));
}

function findInvalidExamples({ operations }: Model, validate: Validate): string[] {
  return operations.flatMap(({ body, replies }) => {
    const repliedContents = [...replies.values()].flatMap(({ contents }) => contents);
    return [
      // Validate these as requests, in which readOnly properties may be missing.
      ...findInvalidPointers(body?.contents ?? [], ({ schemaObjects }, value) =>
        schemaObjects.flatMap(({ pointer }) => validate(pointer, value)),
      ),
      ...findInvalidPointers(repliedContents, (schema, value) => judgeBySchema(validate, schema, value)),
    ];
  });
}

function findInvalidPointers(
  contents: readonly Content[],
  judge: (schema: Schema, value: Example['value']) => readonly unknown[],
): string[] {
  return contents
    .filter(({ kind }) => kind === 'json' || kind === 'sequence')
    .flatMap(({ schema, examples }) => examples.filter(({ value }) => judge(schema, value).length > 0))
    .map(({ pointer }) => pointer);
}
