// Finds the environment variables that hold the credentials of security schemes.
import { UsageError, type Options } from './options';
import type { Suite } from './suite';
import { unscopedNameOf } from './wire/secret';

/** The variable of the scheme, or the one for all schemes, which is under the key ''. */
export function variableOf(variables: Options['variables'], scheme: string): string | undefined {
  return variables.get(scheme) ?? variables.get('');
}

/**
 * The keys are those of `Secrets`: the name of a scheme, or `unscopedNameOf` it for its credentials without scopes.
 *
 * @throws UsageError when a scheme has no variable
 */
export function variablesOf({ model }: Suite, { variables, unscoped }: Options): Map<string, string> {
  const schemes = model.operations.flatMap(({ alternatives }) => alternatives.flat());
  const names = new Set(schemes.map(({ name }) => name));
  const unscopedVariables = schemes.flatMap(({ name, scopes }): [string, string][] => {
    const variable = scopes.length > 0 ? variableOf(unscoped, name) : undefined;
    return variable === undefined ? [] : [[unscopedNameOf(name), variable]];
  });
  const usualVariables = [...names].map((name): [string, string] => {
    const variable = variableOf(variables, name);
    if (variable !== undefined) return [name, variable];
    throw new UsageError(`--token-env must name the variable with the credentials of ${name}`);
  });
  return new Map([...unscopedVariables, ...usualVariables]);
}

/** @throws UsageError when it is not set or empty */
export function readSecret(variable: string): string {
  const secret = process.env[variable];
  if (secret === undefined || secret === '') throw new UsageError(`the environment variable ${variable} is empty`);
  return secret;
}
