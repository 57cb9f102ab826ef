// Makes the suite of a contract.
import { levelOf, type Case } from './case';
import { readModel, type Model } from './contract/model';
import type { Untried } from './contract/untried';
import { deriveCases, type DeriveOptions } from './derive-cases';
import { unfitExamples } from './examples';
import { includes, type Level } from './level';
import type { Oracle } from './oracle/oracle';
import { createCoverage, type Coverage } from './report/coverage';
import { createValidator, type Validate } from './validator';
import type { Given } from './values/given';
import { createValues } from './values/values';
import type { Values } from './values/variant';
import type { Secrets } from './wire/secret';

/** What a contract does not say. */
export interface SuiteOptions extends DeriveOptions {
  /** What a server is held to; `contract` unless it is set. */
  readonly level?: Level;
  /** Headers that middleware adds to replies, whatever the contract says. */
  readonly headers?: readonly string[];
  /** Whether there are credentials for a security scheme; for all of them unless it is set. */
  readonly hasCredentials?: (scheme: string) => boolean;
  /** Whether there are credentials of a security scheme that are granted no scope; for none of them unless it is set. */
  readonly hasUnscoped?: (scheme: string) => boolean;
  /** Values for what nobody can guess. */
  readonly given?: Given;
}

/** Everything that follows from a contract. */
export interface Suite {
  readonly model: Model;
  readonly values: Values;
  readonly cases: readonly Case[];
  readonly level: Level;
  readonly coverage: Coverage;
  /** What of the contract no cases are made for, and why; what is found out on the way is added. */
  readonly untried: () => readonly Untried[];
  readonly oracleFor: (secrets: Secrets) => Oracle;
}

/**
 * Derives the suite of a contract.
 *
 * @throws Error when the text is no contract
 * @example const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), { bodyLimit: 1024 ** 2, mark: 'made-by-the-suite' })
 */
export function createSuite(
  contract: string,
  { level = 'contract', headers = [], given, hasCredentials, hasUnscoped, ...options }: SuiteOptions,
): Suite {
  const own = new Set(headers.map((name) => name.toLowerCase()));
  const model = readModel(contract, {
    isStrict: level === 'strict',
    ...(hasCredentials && { hasCredentials }),
    ...(hasUnscoped && { hasUnscoped }),
  });
  const { root, untagged, hasSiblings } = model.contract;
  const validate = createValidator({ root, hasSiblings }, given);
  const validateUntagged = untagged === root ? validate : createValidator({ root: untagged, hasSiblings }, given);
  for (const pointer of unfitExamples(model, validate)) {
    model.contract.untried.add({ reason: 'examples that are not what they stand at', pointer });
  }
  const values = createValues(validate, options.mark, given, validateUntagged);
  return {
    model,
    values,
    level,
    cases: deriveCases(model, values, options).filter((testCase) => includes(level, levelOf(testCase))),
    coverage: createCoverage(model, level),
    untried: () => model.contract.untried.list(),
    oracleFor: (secrets) => ({
      model,
      validate: level === 'strict' ? validate : acceptEither(validate, validateUntagged),
      secrets,
      level,
      headers: own,
    }),
  };
}

// OpenAPI 3.0.4 and 3.1.1: a discriminator changes nothing about which values are valid. Before, its tag chose the schema.
function acceptEither(one: Validate, other: Validate): Validate {
  return (...args) => (other(...args).length === 0 ? [] : one(...args));
}
