// Asks the functions that judge the messages of a service, and the conformance package's, about a group of tests.
import { readContract } from '../../packages/conformance/src/contract/read-contract';
import { createValidator } from '../../packages/conformance/src/validator';
import { readJson } from '../../packages/conformance/src/wire/json';
import type { Document } from '../../packages/server/src/contract/document/document';
import { describeMistakes } from '../../packages/server/src/contract/document/mistake';
import { parseYaml } from '../../packages/server/src/contract/document/parse-yaml';
import { createEnforcements, type Enforcement } from '../../packages/server/src/contract/enforcement/enforcement';
import { proveEnforcement } from '../../packages/server/src/contract/enforcement/prove-enforcement';
import type { Operation } from '../../packages/server/src/contract/operation/operation';
import { readOperations } from '../../packages/server/src/contract/operation/read-operations';
import { toHandlerInput } from '../../packages/server/src/contract/request/int64-values';
import { parseBody } from '../../packages/server/src/contract/request/parse-body';
import type { Group } from './read-suite';

/** `undeclared`: a valid reply is refused for a member that no schema lists, by a rule of the kit. */
export type Judgement = 'right' | 'wrong' | 'undeclared';

export interface JudgedTest {
  readonly request: Judgement;
  readonly reply: Judgement;
  readonly conformance: Judgement;
}

/** The tests of a schema that is served, or why it is not. */
export type JudgedGroup = { readonly tests: readonly JudgedTest[] } | { readonly refusal: string };

export async function judgeGroup({ contract, tests }: Group): Promise<JudgedGroup> {
  const service = await load(contract);
  if (typeof service === 'string') return { refusal: service };
  const conforms = createConformance(contract);
  const judged = [];
  for (const { text, isValid } of tests) {
    const reply = isSent(service, text);
    judged.push({
      request: toJudgement(isTaken(service, text), isValid),
      reply: isValid && reply === 'undeclared' ? reply : toJudgement(reply === true, isValid),
      conformance: toJudgement(await conforms(text), isValid),
    });
  }
  return { tests: judged };
}

type Checks = readonly [operation: Operation, enforcement: Enforcement];
interface LoadedService {
  readonly take: Checks;
  readonly give: Checks;
}

/** Returns the service, or why the contract is refused. */
async function load(source: string): Promise<LoadedService | string> {
  try {
    const read = readOperations(parseYaml(source, 'contract') as Document);
    if (read.mistakes.length > 0) return describeMistakes('contract', read.document, read.mistakes);
    const identity = { version: '1.0.0', sha256: '' };
    const loaded = { ...read, source: Buffer.from(source), identity, serverPath: '' };
    const [take, give] = await createEnforcements(loaded, {});
    if (!take || !give) throw new Error('the contract has two operations');
    for (const [operation, enforcement] of [take, give]) await proveEnforcement(enforcement, operation);
    return { take, give };
  } catch (error) {
    return (error as Error).message;
  }
}

function isTaken({ take: [{ body }, { validate }] }: LoadedService, text: string): boolean {
  try {
    for (const media of body?.media.values() ?? []) {
      const parsed = parseBody(media, Buffer.from(text), 'application/json');
      if (parsed === undefined || parsed instanceof Promise) return false;
      const value = { body: parsed.value };
      validate(media, value);
      toHandlerInput(media.shape, value, { body: parsed.tokens });
    }
    return true;
  } catch {
    return false;
  }
}

function isSent({ give: [, { checkReply }] }: LoadedService, text: string): boolean | 'undeclared' {
  try {
    checkReply({ status: 200, body: JSON.parse(text), headers: {} });
    return true;
  } catch (error) {
    return (error as Error).message.endsWith('is not declared by the contract') ? 'undeclared' : false;
  }
}

function createConformance(contract: string): (text: string) => boolean | Promise<boolean> {
  const validate = createValidator(readContract(contract));
  return (text) => {
    try {
      return validate('#/components/schemas/S', readJson(text)).length === 0;
    } catch {
      return false;
    }
  };
}

function toJudgement(isAccepted: boolean, isValid: boolean): Judgement {
  return isAccepted === isValid ? 'right' : 'wrong';
}
