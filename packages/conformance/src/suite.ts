import type { Case } from './case';
import { readModel, type Model } from './contract/model';
import { deriveCases, type DeriveOptions } from './derive-cases';
import { assertExamples } from './examples';
import type { Oracle } from './oracle/oracle';
import { createCoverage, type Coverage } from './report/coverage';
import { createValidator } from './validator';
import { createValues } from './values/values';
import type { Values } from './values/variant';
import type { Secrets } from './wire/secret';

/** Everything that follows from a contract. */
export interface Suite {
  readonly model: Model;
  readonly values: Values;
  readonly cases: readonly Case[];
  readonly coverage: Coverage;
  readonly oracleFor: (secrets: Secrets) => Oracle;
}

/**
 * Derives the suite of a contract.
 *
 * @throws Error that names the place, where no cases can be made
 * @example const suite = createSuite(readFileSync('openapi.yaml', 'utf8'), { bodyLimit: 1024 ** 2, mark: 'made-by-the-suite' })
 */
export function createSuite(contract: string, options: DeriveOptions): Suite {
  const model = readModel(contract);
  const validate = createValidator(model.contract);
  assertExamples(model, validate);
  const values = createValues(validate, options.mark);
  return {
    model,
    values,
    cases: deriveCases(model, values, options),
    coverage: createCoverage(model),
    oracleFor: (secrets) => ({ model, validate, secrets }),
  };
}
