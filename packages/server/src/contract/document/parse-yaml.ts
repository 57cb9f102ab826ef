import { load, type YAMLException } from 'js-yaml';
import { assertFewRepeats } from './assert-few-repeats';
import { ContractError } from './mistake';
import { SELF_CONTAINED } from './self-contained';

/**
 * Parses the text of a contract. Every reader of a contract calls this first: its aliases stay small, and no reference
 * leads out of it.
 *
 * @param file the name of the file, for the message
 * @throws ContractError, `file:line:column reason`
 * @example const document = parseYaml('openapi: 3.1.0', 'openapi.yaml') as Document
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
