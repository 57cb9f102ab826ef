// Random schemas of numbers, and texts that a service and the suite's validator judge: by all digits of integers, and as decimals.
// Left out is what they treat differently on purpose: integers beyond 2^53 that are not int64s, decimals that no double holds, an
// int64 next to another number, and a decimal where the format is int64 and the type is not integer.
import * as fc from 'fast-check';
import { readJson, writeJson, type Wire } from '../../packages/conformance/src/wire/json';
import { createConformance, DIALECTS, isSent, load, takeBody, toContract } from '../judges/json-schema';

type Schema = Readonly<Record<string, unknown>>;
type Schemas = fc.Arbitrary<Schema>;

const SAFE = [0, 1, 5, 6, 7, -1, 127, 128, 255, 2 ** 31 - 1, 2 ** 31, -(2 ** 31) - 1, 2 ** 32, 2 ** 53 - 1].map(BigInt);
const BEYOND = [
  ...[0n, 1n, 2n, 3n, 2n ** 53n].map((more) => 2n ** 53n + more),
  ...[-(2n ** 53n) - 1n, 2n ** 60n, 2n ** 60n + 1n, 10n ** 30n],
  ...[2n ** 63n - 1n, 2n ** 63n, -(2n ** 63n), -(2n ** 63n) - 1n, 2n ** 64n - 1n, 2n ** 64n],
];
const DECIMALS = ['0.5', '-0.5', '1.5', '2.5', '0.01', '19.99', '1e-7', '0.30000000000000004'];
// No double has these, and those that are closest to them are integers.
const NEARLY_INTEGERS = ['9007199254740993.5', '1.0000000000000000001', '-9223372036854775808.1', '1e-400'];

// As it is written in a contract: JSON.stringify writes the text of a raw number.
const raw = (text: string): unknown => JSON.rawJSON(text);
const toTokens = (integers: readonly bigint[]): string[] => integers.map(String);

/** Which numbers a schema is for, and which texts are sent. */
interface Family {
  /** Whether each number that matches is an int64. */
  readonly isExact?: boolean;
  readonly toLeaf: (rules: Schemas) => Schemas;
  readonly limits: readonly string[];
  readonly tokens: readonly string[];
}

const withFormat = (rules: Schemas, ...formats: readonly string[]): Schemas =>
  fc.tuple(fc.constantFrom(...formats), rules).map(([format, rest]) => ({ type: 'integer', format, ...rest }));
const toInt64 = (rules: Schemas): Schemas => withFormat(rules, 'int64', 'uint64');
const toOther = (rules: Schemas): Schemas =>
  fc.oneof(
    withFormat(rules, 'int8', 'int32', 'uint16', 'uint32'),
    fc.tuple(fc.constantFrom('integer', 'number'), rules).map(([type, rest]) => ({ type, ...rest })),
  );
const EXACT = toTokens([...SAFE, ...BEYOND]);

export const FAMILIES: readonly Family[] = [
  { isExact: true, toLeaf: toInt64, limits: EXACT, tokens: [...EXACT, ...DECIMALS, ...NEARLY_INTEGERS] },
  {
    toLeaf: (rules) => fc.tuple(toInt64(rules), toOther(rules)).map((anyOf) => ({ anyOf })),
    limits: EXACT,
    tokens: [...EXACT, ...DECIMALS],
  },
  { toLeaf: toOther, limits: [...toTokens(SAFE), ...DECIMALS], tokens: [...toTokens(SAFE), ...DECIMALS] },
];

function createRules(isOld: boolean, limits: readonly string[]): Schemas {
  const limit = fc.constantFrom(...limits).map(raw);
  const multipleOf = fc.constantFrom('2', '3', '7', '0.5', '2.5', '0.01', '9007199254740993', '1e10').map(raw);
  const bound = (end: 'inimum' | 'aximum'): Schemas => {
    const [inclusive, exclusive] = [`m${end}`, `exclusiveM${end}`];
    const flagged = fc.record({ [inclusive]: limit, [exclusive]: fc.boolean() });
    return fc.oneof(fc.record({ [inclusive]: limit }), isOld ? flagged : fc.record({ [exclusive]: limit }));
  };
  const values = fc.array(limit, { minLength: 1, maxLength: 3 });
  return fc.oneof(
    ...[bound('inimum'), bound('aximum'), fc.record({ multipleOf }), fc.record({ enum: values })],
    ...(isOld ? [] : [fc.record({ const: limit })]),
    fc.tuple(bound('inimum'), bound('aximum')).map(([low, high]) => ({ ...low, ...high })),
  );
}

/** Schemas with rules beside, inside and below the alternatives of a number, and of the values that it is in. */
function createSchemas(isOld: boolean, { toLeaf, limits }: Family, depth = 2): Schemas {
  const rules = createRules(isOld, limits);
  const leaf = toLeaf(fc.oneof(fc.constant({}), rules));
  const two = fc.tuple(rules, rules);
  const inPlace = [
    leaf,
    fc.tuple(leaf, rules).map((allOf) => ({ allOf })),
    fc.tuple(leaf, leaf).map((oneOf) => ({ oneOf })),
    leaf.map((one) => ({ anyOf: [one, { type: 'string' }] })),
    fc.tuple(leaf, rules).map(([one, not]) => ({ allOf: [one], not })),
    fc.tuple(leaf, two).map(([one, anyOf]) => ({ allOf: [one], anyOf })),
    fc.tuple(leaf, two).map(([one, oneOf]) => ({ allOf: [one, { oneOf }] })),
    isOld
      ? leaf.map((one) => (one['type'] === undefined ? one : { ...one, nullable: true }))
      : fc
          .tuple(leaf, rules, two)
          .map(([one, condition, [yes, no]]) => ({ ...one, if: condition, then: yes, else: no })),
  ];
  if (depth === 0) return fc.oneof(...inPlace);
  const inner = createSchemas(isOld, { toLeaf, limits, tokens: [] }, depth - 1);
  const isUnique = fc.record({ uniqueItems: fc.boolean() });
  const around = [
    fc.tuple(inner, isUnique).map(([items, unique]) => ({ type: 'array', items, ...unique })),
    fc.record({ type: fc.constant('object'), properties: fc.record({ a: inner, b: inner }) }),
    fc.record({ type: fc.constant('object'), additionalProperties: inner }),
    fc.tuple(inner, leaf, two).map(([a, b, [one, other]]) => ({
      ...{ type: 'object', properties: { a, b } },
      anyOf: [{ properties: { a: one } }, { required: ['b'], properties: { a: other } }],
    })),
  ];
  const ofVersion = [
    fc.tuple(leaf, rules).map(([items, contains]) => ({ type: 'array', items, contains })),
    fc.tuple(inner, leaf, rules).map(([a, b, rule]) => ({
      ...{ type: 'object', properties: { a, b } },
      dependentSchemas: { b: { properties: { a: rule } } },
    })),
  ];
  return fc.oneof(...inPlace, ...around, ...(isOld ? [] : ofVersion));
}

const INTEGER = /^-?\d+$/;

/** The JSON of values for a schema: mostly of its type, with the numbers that it has, and those beside them. */
function createTexts(schema: Schema, { tokens }: Family): fc.Arbitrary<string> {
  const largest = Math.max(...tokens.map(Number));
  const written = JSON.stringify(schema).match(/(?<=[[:,])-?\d[^\]},]*/g) ?? [];
  const near = written.flatMap((token) => (INTEGER.test(token) ? [BigInt(token) + 1n, BigInt(token) - 1n] : []));
  const own = [...written, ...written, ...toTokens(near)].filter((token) => Math.abs(Number(token)) <= largest);
  const spelled = [...tokens, ...own].filter((token) => INTEGER.test(token)).map((token) => `${token}.0`);
  const number = fc.oneof(fc.constantFrom(...tokens, ...spelled), fc.constantFrom('1', ...own));
  const scalar = fc.oneof({ weight: 9, arbitrary: number }, fc.constantFrom('"a"', 'null'));
  const toList = (item: fc.Arbitrary<string>) => fc.array(item, { maxLength: 3 }).map((items) => `[${items.join()}]`);
  const toObject = (member: fc.Arbitrary<string>) =>
    fc.tuple(member, member, fc.boolean()).map(([a, b, hasB]) => (hasB ? `{"a":${a},"b":${b}}` : `{"a":${a}}`));
  const inner = fc.oneof({ weight: 4, arbitrary: scalar }, toList(scalar), toObject(scalar));
  if (schema['type'] === 'array') return toList(inner);
  return schema['type'] === 'object' ? toObject(inner) : scalar;
}

/** A schema, and texts to judge by it. */
export function createCases(isOld: boolean, family: Family): fc.Arbitrary<readonly [schema: Schema, texts: string[]]> {
  return createSchemas(isOld, family).chain((schema) =>
    fc.tuple(fc.constant(schema), fc.array(createTexts(schema, family), { minLength: 10, maxLength: 20 })),
  );
}

/**
 * Judges for a number of milliseconds.
 *
 * @returns how many schemas and values were judged
 * @throws Error when the verdicts differ
 */
export async function compareNumbers(milliseconds: number, seed: number): Promise<string> {
  const counts = { schemas: 0, values: 0, valid: 0 };
  const compare = async (isOld: boolean, isExact: boolean, schema: object, texts: readonly string[]): Promise<void> => {
    const dialect = DIALECTS[Number(isOld)];
    if (!dialect) throw new Error('a dialect is missing');
    const contract = JSON.stringify(toContract(dialect, schema));
    const service = await load(contract);
    if (typeof service === 'string') throw new Error(service);
    const conforms = createConformance(contract);
    counts.schemas += 1;
    for (const text of texts) {
      const suite = await conforms(text);
      // A handler replies with a bigint for each integer, and cannot reply with what no number holds.
      const isRepliable = !NEARLY_INTEGERS.some((token) => text.includes(token));
      const sent = isRepliable ? isSent(service, text, readJson) : 'undeclared';
      const taken = takeBody(service, text);
      const verdicts = { request: taken !== undefined, reply: sent === 'undeclared' ? suite : sent, suite };
      counts.values += 1;
      counts.valid += Number(suite);
      if (new Set(Object.values(verdicts)).size > 1) throw new Error(`${text}: ${JSON.stringify(verdicts)}`);
      // The handler gets each digit.
      if (isExact && suite && writeJson(taken as Wire) !== writeJson(readJson(text)))
        throw new Error(`${text} becomes ${writeJson(taken as Wire)}`);
    }
  };
  const runs = FAMILIES.flatMap((family) => [false, true].map((isOld) => ({ family, isOld })));
  for (const { family, isOld } of runs) {
    const property = fc.asyncProperty(createCases(isOld, family), ([schema, texts]) =>
      compare(isOld, family.isExact === true, schema, texts),
    );
    const plugins = [fc.interruptAfterTimeLimit(milliseconds / runs.length)];
    await fc.assert(property, { seed, numRuns: Number.MAX_SAFE_INTEGER, plugins });
  }
  return `${String(counts.schemas)} schemas of numbers, ${String(counts.values)} values, of which ${String(counts.valid)} are valid`;
}
