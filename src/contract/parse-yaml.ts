import { load, type YAMLException } from 'js-yaml';
import { ContractError } from './contract-error';

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
    const { reason, mark = { line: 0, column: 0 } } = error as YAMLException;
    throw new ContractError(`${file}:${String(mark.line + 1)}:${String(mark.column + 1)} ${reason}`, { cause: error });
  }
}
