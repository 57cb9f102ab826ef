import { constructFromEvents, parseEvents, YAMLException, type Schema } from 'js-yaml';
import { assertFewRepeats } from './assert-few-repeats';
import { ContractError } from './mistake';
import { EXACT } from './parse-exact-yaml';
import { DOUBLES, findOutside, refusing } from './self-contained';

/**
 * Parses the text of a contract. Every reader of a contract calls this first: it refuses huge aliases and references to
 * other documents.
 *
 * @throws ContractError, `file:line:column reason`
 * @example const document = parseYaml('openapi: 3.1.0', 'openapi.yaml') as Document
 */
export function parseYaml(source: string, file: string): unknown {
  const document = parseText(source, file, DOUBLES);
  const [outside] = findOutside(document);
  return outside ? parseText(source, file, refusing(outside.reference)) : document;
}

/**
 * Parses one of the files of a contract. References to the other files are allowed and not followed. An integer that a
 * double cannot hold becomes a bigint.
 *
 * @throws ContractError, `file:line:column reason`
 * @example parsePart('$ref: ./pet.yaml', 'openapi.yaml') // { $ref: './pet.yaml' }
 */
export function parsePart(source: string, file: string): unknown {
  return parseText(source, file, EXACT);
}

// `schema`: js-yaml's rules for scalars and mappings.
function parseText(source: string, file: string, schema: Schema): unknown {
  try {
    const events = parseEvents(source, {});
    assertFewRepeats(source, events);
    const [document, ...others] = constructFromEvents(events, { source, schema });
    if (document === undefined) throw new YAMLException('expected a document, but the file is empty');
    if (others.length > 0) throw new YAMLException('expected one document, but the file has more');
    return document;
  } catch (error) {
    // Without a mark, the error is about the whole file.
    const { reason, mark = { line: 0, column: 0 } } = error as YAMLException;
    throw new ContractError(`${file}:${String(mark.line + 1)}:${String(mark.column + 1)} ${reason}`, { cause: error });
  }
}
