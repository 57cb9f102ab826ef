import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { omit, type Json, type JsonObject } from '../../../src/wire/json';
import { startTarget } from '../../../../../tests/support/start-target';
import { LANES, prove, type Progress, type Proof } from '../proof';
import { createSuite, type Suite } from '../../../src/suite';
import { createOrder, findComplaint, OPTIONS } from '../find-complaint';
import { toMutants, objectAt, schemaPlaces, type ContractMutant, type Mutations, type Row } from './contract-mutant';
import { EXAMPLES, exampleMutations, schemaMutations } from './schema-mutations';
import { operationMutations, replyMutations, securityMutations } from './operation-mutations';

/** Contracts that differ from the server's in one thing each; the suite of each has to fail on the server. */
export async function proveContractMutants(file: string, progress: Progress, extent: number): Promise<Proof> {
  const source = readFileSync(file, 'utf8');
  const root = parse(source, { intAsBigInt: true }) as JsonObject;
  const suite = createSuite(source, OPTIONS);
  await using all = new AsyncDisposableStack();
  const targets = await Promise.all(Array.from({ length: LANES }, () => startTarget(suite)));
  for (const target of targets) all.use(target);
  const order = createOrder();
  const judge = async (kind: string, changed: JsonObject, lane: number): Promise<string | undefined> => {
    const makeSuite = (): Suite => createSuite(toText(changed), OPTIONS);
    // No server is to blame for an example: what is wrong with it stands in the list of what is not tried.
    if (kind === EXAMPLES) return makeSuite().skipped()[0]?.reason;
    const target = targets[lane] ?? fail();
    return findComplaint(makeSuite, { target, startSituations: () => Promise.resolve(target) }, order);
  };
  return await prove({
    title: 'contract mutants',
    least: 40,
    threshold: 85,
    items: makeMutants(root),
    judge: async ({ kind, root: changed }, lane) => ({ complaint: await judge(kind, changed, lane) }),
    control: () => judge('', root, 0),
    progress,
    extent,
  });
}

/** Each difference once. */
function makeMutants(root: JsonObject): ContractMutant[] {
  const made = [
    ...schemaMutations(root),
    ...operationMutations(root),
    ...replyMutations(root),
    ...securityMutations(root),
    ...catalogueMutations(root),
    ...exampleMutations(root),
  ].flatMap((mutations) => toMutants(root, mutations));
  const original = toText(root);
  return [...new Map(made.map((mutant) => [toText(mutant.root), mutant])).entries()].flatMap(([text, mutant]) =>
    text === original ? [] : [mutant],
  );
}

function toText(root: JsonObject): string {
  return stringify(root, { aliasDuplicateObjects: false });
}

function fail(): never {
  throw new Error('there is a lane without a target');
}

const CATALOGUE = 'x-error-catalogue';

/** What can be wrong with the list of error numbers. */
function catalogueMutations(root: JsonObject): Mutations[] {
  const places = schemaPlaces(root).filter(({ schema }) => schema[CATALOGUE] !== undefined);
  return places.map(({ path, schema }) => {
    const catalogue = objectAt(schema, [CATALOGUE]);
    return { path: [...path, CATALOGUE], rows: [...entries(catalogue), ...swaps(catalogue), ...wholes(catalogue)] };
  });
}

function entries(catalogue: JsonObject): Row[] {
  return Object.keys(catalogue).flatMap((name): Row[] => {
    const entry = objectAt(catalogue, [name]);
    const change = (field: string, value: Json): Json => ({ ...catalogue, [name]: { ...entry, [field]: value } });
    return [
      ['error dropped', name, omit(catalogue, name)],
      ['error renumbered', name, change('number', Number(entry['number']) + 50)],
      ['error of another status', name, change('status', Number(entry['status']) + 1)],
    ];
  });
}

// Of each status the first two, since nothing but prose tells its numbers apart.
function swaps(catalogue: JsonObject): Row[] {
  const entryOf = (name: string): JsonObject => objectAt(catalogue, [name]);
  const numbered = (name: string, other: string): Json => ({
    ...entryOf(name),
    number: entryOf(other)['number'] ?? null,
  });
  const statuses = Map.groupBy(Object.keys(catalogue), (name) => entryOf(name)['status']);
  return [...statuses.values()].flatMap(([one, other]): Row[] => {
    if (one === undefined || other === undefined) return [];
    const changed = { ...catalogue, [one]: numbered(one, other), [other]: numbered(other, one) };
    return [['errors swapped', `${one}, ${other}`, changed, 'told in prose']];
  });
}

function wholes(catalogue: JsonObject): Row[] {
  return [
    ['error added', '', { ...catalogue, NEVER: { number: 40_999n, status: 400n, meaning: 'Never.' } }],
    ['catalogue dropped', '', undefined, 'looser reply'],
    ['catalogue emptied', '', {}, 'looser reply'],
  ];
}
