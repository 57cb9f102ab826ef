// Judges random values by random schemas: a service's functions, the suite's validator and one of others have to agree.
import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { createConformance, isSent, isTaken, load } from '../schema-suite/judge-file';
import { DIALECTS, toContract } from '../schema-suite/read-suite';

/** What is used of @hyperjump/json-schema: proofs/specificity installs it, so its types are not here. */
interface Library {
  readonly registerSchema: (schema: object, id: string, dialect: string) => void;
  readonly unregisterSchema: (id: string) => void;
  readonly validate: (id: string) => Promise<(value: unknown) => { readonly valid: boolean }>;
}

const LIBRARIES = [
  ['draft-2020-12', 'https://json-schema.org/draft/2020-12/schema'],
  ['openapi-3-0', 'https://spec.openapis.org/oas/3.0/schema'],
].map(([name = '', dialect = '']) => {
  const library = createRequire(resolve('proofs/specificity/package.json'))(
    `@hyperjump/json-schema/${name}`,
  ) as Library;
  return { ...library, dialect };
});

const name = fc.constantFrom('a', 'b', 'ab', 'constructor', '1', '', '🌹');
const number = fc.constantFrom(0, 1, 2, 3, -1, 0.5, 1.5, 2.5);
const size = fc.nat({ max: 3 });
const pattern = fc.constantFrom('^a', 'b$', '^.$', '[0-9]', '^[^1]*$');
const { value } = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 3 },
    ...[fc.constantFrom(null, true, false), number, name],
    fc.array(tie('value'), { maxLength: 4 }),
    fc.dictionary(name, tie('value'), { maxKeys: 4 }),
  ),
}));

// Flags of draft-04 need their limits.
const LIMITS = { minimum: -1, maximum: 3 };
type Keywords = Record<string, fc.Arbitrary<unknown>>;

function all(keywords: readonly string[], values: fc.Arbitrary<unknown>): Keywords {
  return Object.fromEntries(keywords.map((keyword) => [keyword, values]));
}

/** @param references a schema D that others refer to refers to itself below a property only: it may not go in circles */
function schemaOf(isOld: boolean, depth: number, references: Keywords = {}): fc.Arbitrary<unknown> {
  const types = ['object', 'array', 'string', 'number', 'integer', 'boolean'];
  const type = fc.constantFrom(...types, ...(isOld ? [] : ['null']));
  const some = { minLength: 1, maxLength: 3 };
  if (depth === 0) return fc.oneof(fc.record({ type }), fc.record({ enum: fc.array(value, some) }));
  const inner = schemaOf(isOld, depth - 1, references);
  const named = fc.dictionary(name, inner, { maxKeys: 3 });
  // The kit refuses to require a name without characters.
  const names = fc.uniqueArray(name.filter(Boolean), { minLength: 1, maxLength: 2 });
  const keywords: Keywords = {
    type,
    properties: named,
    additionalProperties: fc.oneof(inner, fc.boolean()),
    required: names,
    items: inner,
    uniqueItems: fc.constant(true),
    pattern,
    ...all(['minProperties', 'maxProperties', 'minItems', 'maxItems', 'minLength', 'maxLength'], size),
    ...all(['minimum', 'maximum'], number),
    multipleOf: fc.constantFrom(1, 2, 0.5),
    enum: fc.array(value, some),
    ...all(['allOf', 'anyOf', 'oneOf'], fc.array(inner, some)),
    not: inner,
    ...references,
  };
  const ofVersion: Keywords = isOld
    ? { nullable: fc.constant(true), ...all(['exclusiveMinimum', 'exclusiveMaximum'], fc.boolean()) }
    : {
        const: value,
        ...all(['exclusiveMinimum', 'exclusiveMaximum'], number),
        ...all(['minContains', 'maxContains'], size),
        ...all(['propertyNames', 'contains', 'if', 'then', 'else'], inner),
        ...all(['unevaluatedProperties', 'unevaluatedItems'], fc.oneof(inner, fc.constant(false))),
        patternProperties: fc.dictionary(pattern, inner, { maxKeys: 2 }),
        prefixItems: fc.array(inner, some),
        dependentRequired: fc.dictionary(name, names, { maxKeys: 2 }),
        dependentSchemas: named,
      };
  const entries = Object.entries({ ...keywords, ...ofVersion });
  const schema = fc
    .uniqueArray(fc.oneof(...entries.map(([key, values]) => fc.tuple(fc.constant(key), values))), {
      minLength: 1,
      maxLength: 4,
      selector: ([key]) => key,
    })
    .map((members) => ({ ...(isOld && LIMITS), ...Object.fromEntries(members) }));
  return isOld ? schema : fc.oneof({ weight: 20, arbitrary: schema }, { weight: 1, arbitrary: fc.boolean() });
}

const counts = { schemas: 0, verdicts: 0, valid: 0 };
const PROGRESS = 1000;

function formatCounts(): string {
  const { schemas, verdicts, valid } = counts;
  return `${String(schemas)} schemas, ${String(verdicts)} values, of which ${String(valid)} are valid`;
}

/** Throws what the judges disagree about. */
async function compare(isOld: boolean, schema: object, values: readonly unknown[]): Promise<void> {
  const [dialect, library] = [DIALECTS[Number(isOld)], LIBRARIES[Number(isOld)]];
  if (!dialect || !library) throw new Error('a dialect is missing');
  const contract = JSON.stringify(toContract(dialect, schema));
  counts.schemas += 1;
  if (counts.schemas % PROGRESS === 0) console.error(formatCounts());
  const service = await load(contract);
  // None of these schemas is one that the kit may refuse.
  if (typeof service === 'string') throw new Error(service);
  const id = 'https://example.org/contract';
  // OpenAPI 3.0 ignores what is beside a reference, and the metaschema of the other validator refuses it.
  const alone = (_key: string, member: unknown): unknown =>
    isOld && Object.hasOwn(Object(member) as object, '$ref') ? { $ref: (member as { $ref: string }).$ref } : member;
  library.registerSchema(JSON.parse(contract, alone) as object, id, library.dialect);
  const judge = await library.validate(`${id}#/components/schemas/S`).finally(() => {
    library.unregisterSchema(id);
  });
  const conforms = createConformance(contract);
  for (const each of values) {
    const json = JSON.stringify(each);
    const other = judge(each).valid;
    const sent = isSent(service, json);
    // By a rule of the kit, a reply has no member of no schema.
    const reply = sent === 'undeclared' ? other : sent;
    const verdicts = { request: isTaken(service, json), reply, suite: await conforms(json), other };
    counts.verdicts += 1;
    counts.valid += Number(other);
    if (new Set(Object.values(verdicts)).size > 1) throw new Error(`${json}: ${JSON.stringify(verdicts)}`);
  }
}

async function main(): Promise<void> {
  const options = { minutes: { type: 'string' }, seed: { type: 'string' } } as const;
  const { minutes = '1', seed = String(Date.now() % 1e9) } = parseArgs({ options }).values;
  console.log(`--minutes ${minutes} --seed ${seed}`);
  const found = await compareAll(Number(minutes), Number(seed)).then(
    () => 'all verdicts agree',
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
      return 'verdicts differ';
    },
  );
  console.log(`result: ${formatCounts()}: ${found}, seed ${seed}`);
}

async function compareAll(minutes: number, seed: number): Promise<void> {
  for (const isOld of [false, true]) {
    const $ref = isOld ? '#/definitions/D' : '#/$defs/D';
    const referred = fc.tuple(schemaOf(isOld, 1), fc.boolean()).map(([schema, isRecursive]) => {
      const { properties, ...rest } = Object(schema) as { readonly properties?: object };
      return isRecursive ? { ...rest, properties: { ...properties, ab: { $ref } } } : schema;
    });
    const schema = fc
      .tuple(schemaOf(isOld, 3, { $ref: fc.constant($ref) }), referred)
      .map(([root, D]) => ({ ...Object(root), [isOld ? 'definitions' : '$defs']: { D } }) as object);
    const arbitrary = fc.tuple(schema, fc.array(value, { minLength: 10, maxLength: 20 }));
    const interruptAfterTimeLimit = minutes * 30_000;
    const property = fc.asyncProperty(arbitrary, ([schema, values]) => compare(isOld, schema, values));
    await fc.assert(property, { seed, numRuns: Number.MAX_SAFE_INTEGER, interruptAfterTimeLimit });
    console.log(`${String(DIALECTS[Number(isOld)]?.name)}, all so far: ${formatCounts()}`);
  }
}

void main();
