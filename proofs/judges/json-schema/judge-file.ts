// Asks the functions that judge the messages of a service, and those of the conformance package, about a file of the suite.
import { readContract } from '../../../packages/conformance/src/contract/read-contract';
import { createValidator } from '../../../packages/conformance/src/validation/validator';
import { readJson } from '../../../packages/conformance/src/wire/json';
import type { Document } from '../../../packages/contract/src/2-resolve/document';
import { describeErrors } from '../../../packages/contract/src/text/document-error';
import { parseExactJson } from '../../../packages/contract/src/json/exact-json';
import { parseYaml } from '../../../packages/contract/src/1-parse/parse-yaml';
import { createValidators, proveValidators, type Validators } from '../../../packages/server/src/pipeline/validators';
import type { Operation } from '../../../packages/contract/src/5-messages/operation';
import { readOperations } from '../../../packages/contract/src/load-contract';
import * as OpenApiValidator from 'express-openapi-validator';
import type { SuiteFile } from './read-suite';

/** What came of a file. */
export interface Row {
  readonly name: string;
  /** How many tests have a schema that is served. */
  readonly tests: number;
  /** Why schemas are not served. */
  readonly refusals: readonly string[];
  /** The tests that disagree in either direction, one line each. */
  readonly differences: readonly string[];
}

export async function judgeFile({ name, groups }: SuiteFile): Promise<Row> {
  const refusals: string[] = [];
  const differences: string[] = [];
  let count = 0;
  for (const { description, contract, tests } of groups) {
    const service = await load(contract);
    if (typeof service === 'string') {
      refusals.push(service);
      continue;
    }
    const conforms = createConformance(contract);
    for (const { text, isValid, ...test } of tests) {
      const sent = isSent(service, text);
      const isUndeclared = isValid && sent === 'undeclared';
      const isRight = {
        request: isTaken(service, text) === isValid,
        reply: (sent === true) === isValid,
        conformance: (await conforms(text)) === isValid,
      };
      count += 1;
      // Formats are optional for it: validator.test.ts has those that it asserts.
      const isExcused: Readonly<Record<string, boolean>> = {
        reply: isUndeclared,
        conformance: name.startsWith('optional/') || name === 'format',
      };
      const wrong = Object.entries(isRight).flatMap(([by, is]) => (is || isExcused[by] ? [] : by));
      const expected = isValid ? 'is valid' : 'is not valid';
      if (wrong.length > 0)
        differences.push(`${name}: ${description}, ${test.description} ${expected}: ${wrong.join(', ')}`);
    }
  }
  return { name, tests: count, refusals, differences };
}

type Checks = readonly [operation: Operation, enforcement: Validators];
export interface LoadedService {
  readonly take: Checks;
  readonly give: Checks;
}

/** Returns the service, or why the contract is refused. */
export async function load(source: string): Promise<LoadedService | string> {
  try {
    const read = readOperations(parseYaml(source, 'contract') as Document);
    if (read.errors.length > 0) return describeErrors('contract', [read.document], read.errors);
    const identity = { version: '1.0.0', sha256: '' };
    const loaded = { ...read, source: Buffer.from(source), identity, serverPath: '' };
    const [take, give] = createValidators(loaded, OpenApiValidator, {});
    if (!take || !give) throw new Error('the contract has two operations');
    for (const [operation, enforcement] of [take, give]) await proveValidators(enforcement, operation, new Set());
    return { take, give };
  } catch (error) {
    return (error as Error).message;
  }
}

export function isTaken({ take: [{ body }, { checkRequest }] }: LoadedService, text: string): boolean {
  try {
    for (const media of body?.media.values() ?? []) {
      const { value, literals } = parseExactJson(Buffer.from(text), media.shape.properties.get('body'));
      checkRequest({ message: media, value: { body: value }, literals: { body: literals }, unlisted: [] });
    }
    return true;
  } catch {
    return false;
  }
}

export function isSent({ give: [, { checkReply }] }: LoadedService, text: string): boolean | 'undeclared' {
  try {
    checkReply({ status: 200, body: JSON.parse(text), headers: {} });
    return true;
  } catch (error) {
    return (error as Error).message.endsWith('is not declared by the contract') ? 'undeclared' : false;
  }
}

export function createConformance(contract: string): (text: string) => boolean | Promise<boolean> {
  const validate = createValidator(readContract(contract));
  return (text) => {
    try {
      return validate('#/components/schemas/S', readJson(text)).length === 0;
    } catch {
      return false;
    }
  };
}
