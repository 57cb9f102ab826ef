import { UsageError, type Options } from './options';
import type { Suite } from './suite';
import { unscopedNameOf } from './wire/secret';

/** The environment variable with the credentials of a scheme: its own, or the one for all schemes. */
export function variableOf(variables: Options['variables'], scheme: string): string | undefined {
  return variables.get(scheme) ?? variables.get('');
}

/**
 * The environment variables of all credentials that cases send, by their names in `Secrets`.
 *
 * @throws UsageError when a scheme has no variable
 */
export function variablesOf({ model }: Suite, { variables, unscoped }: Options): Map<string, string> {
  const schemes = model.operations.flatMap(({ alternatives }) => alternatives.flat());
  const names = new Set(schemes.map(({ name }) => name));
  const others = schemes.flatMap(({ name, scopes }) => {
    const variable = scopes.length > 0 ? variableOf(unscoped, name) : undefined;
    return variable === undefined ? [] : [[unscopedNameOf(name), variable] as const];
  });
  return new Map([
    ...others,
    ...[...names].map((scheme) => {
      const variable = variableOf(variables, scheme);
      if (variable === undefined)
        throw new UsageError(`--token-env must name the variable with the credentials of ${scheme}`);
      return [scheme, variable] as const;
    }),
  ]);
}

/** @throws UsageError when the environment variable is empty */
export function readSecret(variable: string): string {
  const secret = process.env[variable];
  if (secret === undefined || secret === '') throw new UsageError(`the environment variable ${variable} is empty`);
  return secret;
}
