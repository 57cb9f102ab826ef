// Judges nested values by schemas that refer to themselves in each applicator keyword, alone and in pairs. The verdicts have to be
// those of another validator, and a value with twice as many levels may not take exponentially longer.
import { parseYaml } from '../../packages/contract/src/1-parse/parse-yaml';
import type { Document } from '../../packages/contract/src/2-resolve/document';
import { mapValues } from '../../packages/contract/src/2-resolve/schema';
import type { BodyMedia, MessageSchema } from '../../packages/contract/src/5-messages/message';
import type { Operation } from '../../packages/contract/src/5-messages/operation';
import { readOperations } from '../../packages/contract/src/load-contract';
import { Refusal } from '../../packages/server/src/errors/refusal';
import { createValidators, type Validators } from '../../packages/server/src/pipeline/validators';
import type { ReplyItems } from '../../packages/server/src/reply/reply-items';
import { ValidationError } from '../../packages/server/src/validate/validator';

/** Whether a value is valid; undefined for a reply that is refused for a member of no schema, by a rule of the kit. */
type Judge = (value: unknown) => boolean | undefined;

const referTo = (name: string): object => ({ $ref: `#/components/schemas/${name}` });
const SELF = referTo('Node');
// These describe what is one level further inside. No value matches `NARROW`.
const INSIDE = { properties: { in: SELF }, items: SELF };
const NARROW = { ...INSIDE, minProperties: 9, minItems: 9 };

const KEYWORDS: readonly object[] = [
  { allOf: [INSIDE, INSIDE] },
  { anyOf: [NARROW, INSIDE] },
  { oneOf: [NARROW, INSIDE] },
  { not: INSIDE },
  { if: INSIDE, then: INSIDE, else: INSIDE },
  { dependentSchemas: { in: INSIDE } },
  { properties: { in: SELF } },
  { patternProperties: { '^i': SELF } },
  { additionalProperties: SELF },
  { propertyNames: SELF },
  { items: SELF },
  { prefixItems: [SELF] },
  { contains: SELF },
  { contains: { not: SELF } },
  { unevaluatedItems: SELF },
  { unevaluatedProperties: SELF },
  { unevaluatedItems: false, unevaluatedProperties: false },
  // A discriminator applies to an anyOf beside it, too.
  { anyOf: undefined, oneOf: [referTo('Tagged'), referTo('Other')], discriminator: { propertyName: 'tag' } },
];

function toContract(keywords: object): string {
  const toTagged = (tag: string): object => ({
    type: 'object',
    required: ['tag'],
    properties: { tag: { const: tag }, in: SELF },
  });
  const schemas = {
    Node: { anyOf: [{ type: ['integer', 'string'] }, { type: ['object', 'array'], ...keywords }] },
    Tagged: toTagged('Tagged'),
    Other: toTagged('Other'),
    Message: { type: 'object', properties: { value: SELF, other: { ...SELF, default: wrapObject(RIGHT) } } },
  };
  const content = {
    'application/json': { schema: referTo('Message') },
    'application/jsonl': { itemSchema: SELF },
  };
  const responses = { 200: { description: 'The same.', content } };
  return JSON.stringify({
    openapi: '3.2.0',
    info: { title: 'Levels', version: '1.0.0' },
    paths: { '/levels': { post: { operationId: 'echo', requestBody: { required: true, content }, responses } } },
    components: { schemas },
  });
}

const [RIGHT, WRONG] = [1, false];
const wrapObject = (value: unknown): object => ({ tag: 'Tagged', in: value });
// What is around a value at each level, from the inside.
const SHAPES: readonly ((value: unknown, level: number) => unknown)[] = [
  wrapObject,
  (value) => [value],
  (value, level) => (level % 2 === 0 ? wrapObject(value) : [1, value]),
];

const LINES = { 'Content-Type': 'application/jsonl' };

/** The judges of requests, replies, and the items of both, as the pipeline calls them. */
function createJudges(contract: string): Readonly<Record<string, Judge>> {
  const read = readOperations(parseYaml(contract, 'contract') as Document);
  for (const error of read.errors) throw error;
  const [[{ body }, { checkRequest, checkItem, checkReply }]] = [
    ...createValidators(read, undefined, {}, { isWatched: () => true }),
  ] as [[Operation, Validators]];
  const [message, { item }] = [...(body?.media.values() ?? [])] as [BodyMedia, BodyMedia & { item: MessageSchema }];
  const noOthers = { unknownNames: [] };
  const checks: Readonly<Record<string, (value: unknown) => unknown>> = {
    request: (value) => checkRequest({ ...noOthers, message, value: { body: { value } } }),
    'request item': (value) => checkItem({ ...noOthers, message: item, value: { body: value } }),
    reply: (value) => checkReply({ status: 200, headers: {}, body: { value } }),
    'reply item': (value) => (checkReply({ status: 200, headers: LINES, body: [value] }).body as ReplyItems).next(),
  };
  return mapValues(checks, (check) => (value) => {
    try {
      // A check fills in defaults.
      return !(check(structuredClone(value)) instanceof Refusal);
    } catch (error) {
      const { cause = error, message: problem } = error as Error;
      if (problem.includes(' is not declared by the contract')) return undefined;
      if (cause instanceof ValidationError) return false;
      throw error;
    }
  });
}

const LEVELS = [10, 20];
const MOST_GROWTH = 8;
// Anything below it is lost in the noise.
const LEAST_COST_MS = 1;
const ATTEMPTS = 5;

/** Milliseconds of CPU: the least of several attempts, since other work of the process counts too. */
function measure(judge: () => unknown): number {
  const costs = Array.from({ length: ATTEMPTS }, () => {
    const before = process.cpuUsage();
    judge();
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1000;
  });
  return Math.max(LEAST_COST_MS, Math.min(...costs));
}

/**
 * @param createOther makes the judge of the other validator, by the schema of a name in a contract
 * @returns how many schemas and verdicts were compared
 * @throws Error when verdicts differ, or when the cost grows
 */
export async function compareRecursive(
  createOther: (contract: string, name: string) => Promise<(value: unknown) => boolean>,
): Promise<string> {
  const pairs = KEYWORDS.flatMap((one, index) => KEYWORDS.slice(index).map((other) => ({ ...one, ...other })));
  let verdicts = 0;
  for (const keywords of pairs) {
    const contract = toContract(keywords);
    const judges = Object.entries(createJudges(contract));
    const other = await createOther(contract, 'Node');
    for (const wrap of SHAPES)
      for (const leaf of [RIGHT, WRONG]) {
        const nested = LEVELS.map((levels) => nest(wrap, leaf, levels, other));
        for (const [kind, judge] of judges) {
          const costs = nested.map(({ value, isValid }) => {
            const verdict = judge(value) ?? isValid;
            verdicts += 1;
            if (verdict !== isValid)
              throw new Error(`${kind} ${JSON.stringify(value)}: ${String(verdict)}, ${contract}`);
            return measure(() => judge(value));
          });
          const [few = 0, many = 0] = costs;
          if (many > MOST_GROWTH * few)
            throw new Error(`${kind} ${JSON.stringify(nested)}: ${costs.join(' to ')} ms, ${contract}`);
        }
      }
  }
  return `${String(pairs.length)} recursive schemas, ${String(verdicts)} verdicts`;
}

/**
 * Nests a value. The other validator takes exponential time, so it judges one level at a time, around a leaf that has the verdict
 * of all that is inside.
 */
function nest(
  wrap: (value: unknown, level: number) => unknown,
  leaf: unknown,
  levels: number,
  other: (value: unknown) => boolean,
): { value: unknown; isValid: boolean } {
  let [value, isValid] = [leaf, other(leaf)];
  for (let level = 0; level < levels; level++) {
    value = wrap(value, level);
    isValid = other(wrap(isValid ? RIGHT : WRONG, level));
  }
  return { value, isValid };
}
