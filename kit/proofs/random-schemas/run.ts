// Judges random values by random schemas: a service's functions, the suite's validator and one of others have to agree,
// and so do the types, as far as a type can say what a schema says.
import { parseArgs } from 'node:util';
import * as fc from 'fast-check';
import { createConformance, DIALECTS, isSent, isTaken, load, toContract } from '../judges/json-schema';
import { loadLibrary } from '../specificity/another-validator';
import { compareNumbers } from './numbers';
import { compareRecursive } from './recursive';
import { schemasOf, value } from './schemas';
import { compareTypes } from './types';

const LIBRARIES = [
  ['draft-2020-12', 'https://json-schema.org/draft/2020-12/schema'],
  ['openapi-3-0', 'https://spec.openapis.org/oas/3.0/schema'],
].map(([name = '', dialect = '']) => ({ ...loadLibrary(name), dialect }));

const counts = { schemas: 0, verdicts: 0, valid: 0 };
const PROGRESS = 1000;

function formatCounts(): string {
  const { schemas, verdicts, valid } = counts;
  return `${String(schemas)} schemas, ${String(verdicts)} values, of which ${String(valid)} are valid`;
}

/** The other validator's judge of values by a schema of a contract. */
async function createOther(isOld: boolean, contract: string, name: string): Promise<(value: unknown) => boolean> {
  const library = LIBRARIES[Number(isOld)];
  if (!library) throw new Error('a library is missing');
  const id = 'https://example.org/contract';
  // OpenAPI 3.0 ignores what is beside a reference, and the metaschema of the other validator refuses it.
  const alone = (_key: string, member: unknown): unknown =>
    isOld && Object.hasOwn(Object(member) as object, '$ref') ? { $ref: (member as { $ref: string }).$ref } : member;
  library.registerSchema(JSON.parse(contract, alone) as object, id, library.dialect);
  const judge = await library.validate(`${id}#/components/schemas/${name}`).finally(() => {
    library.unregisterSchema(id);
  });
  return (value) => judge(value).valid;
}

/** Throws what the judges disagree about. */
async function compare(isOld: boolean, schema: object, values: readonly unknown[]): Promise<void> {
  const dialect = DIALECTS[Number(isOld)];
  if (!dialect) throw new Error('a dialect is missing');
  const contract = JSON.stringify(toContract(dialect, schema));
  counts.schemas += 1;
  if (counts.schemas % PROGRESS === 0) console.error(formatCounts());
  const service = await load(contract);
  // None of these schemas is one that the kit may refuse.
  if (typeof service === 'string') throw new Error(service);
  const judge = await createOther(isOld, contract, 'S');
  const conforms = createConformance(contract);
  for (const each of values) {
    const json = JSON.stringify(each);
    const other = judge(each);
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
  const options = { minutes: { type: 'string' }, types: { type: 'string' }, seed: { type: 'string' } } as const;
  const { minutes = '1', types = '200', seed = String(Date.now() % 1e9) } = parseArgs({ options }).values;
  console.log(`--minutes ${minutes} --types ${types} --seed ${seed}`);
  const found = await compareAll(Number(minutes), Number(seed)).then(
    (numbers) => `all verdicts agree, also on ${numbers}`,
    (error: unknown) => {
      console.error(error);
      process.exitCode = 1;
      return 'verdicts differ';
    },
  );
  const { summary, unexplained } = await compareTypes(Number(types), Number(seed));
  for (const line of unexplained) console.error(line);
  if (unexplained.length > 0) process.exitCode = 1;
  console.log(`result: ${formatCounts()}: ${found}; ${summary}; seed ${seed}`);
}

async function compareAll(minutes: number, seed: number): Promise<string> {
  console.log(await compareRecursive((contract, name) => createOther(false, contract, name)));
  for (const isOld of [false, true]) {
    const arbitrary = fc.tuple(schemasOf(isOld), fc.array(value, { minLength: 10, maxLength: 20 }));
    const plugins = [fc.interruptAfterTimeLimit(minutes * 20_000)];
    const property = fc.asyncProperty(arbitrary, ([schema, values]) => compare(isOld, schema, values));
    await fc.assert(property, { seed, numRuns: Number.MAX_SAFE_INTEGER, plugins });
    console.log(`${String(DIALECTS[Number(isOld)]?.name)}, all so far: ${formatCounts()}`);
  }
  return compareNumbers(minutes * 20_000, seed);
}

void main();
