import { load, YAMLException } from 'js-yaml';
import { ContractError } from './errors';

/**
 * The value of a YAML text.
 *
 * @param file where the text comes from, for the message
 * @throws ContractError, `file:line:column reason`
 */
export function parseYaml(source: string, file: string): unknown {
  try {
    return load(source);
  } catch (error) {
    if (!(error instanceof YAMLException)) throw error;
    const place = error.mark ? `:${String(error.mark.line + 1)}:${String(error.mark.column + 1)}` : '';
    throw new ContractError(`${file}${place} ${error.reason}`, { cause: error });
  }
}
