import { load, type YAMLException } from 'js-yaml';
import { assertFewRepeats } from './assert-few-repeats';
import { ContractError } from './mistake';
import { SELF_CONTAINED } from './self-contained';

/**
 * The value of a contract's text. Everything that reads a contract begins here: its aliases do not blow it up, and no
 * reference leads out of it.
 *
 * @param file where the text comes from, for the message
 * @throws ContractError, `file:line:column reason`
 */
export function parseYaml(source: string, file: string): unknown {
  try {
    assertFewRepeats(source);
    return load(source, { schema: SELF_CONTAINED });
  } catch (error) {
    const { reason, mark = { line: 0, column: 0 } } = error as YAMLException;
    throw new ContractError(`${file}:${String(mark.line + 1)}:${String(mark.column + 1)} ${reason}`, { cause: error });
  }
}
