import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import { isJsonObject, type JsonObject, type Json } from '../../../src/wire/json';
import { startTarget } from '../../../../../tests/support/start-target';
import { demand, LANES, sampleOf, WHOLE, type Progress, type Proof } from '../proof';
import { mapInPool } from '../../../../../tests/support/map-in-pool';
import type { Target } from '../../../src/exchange/exchange';
import { createSuite, type Suite } from '../../../src/suite';
import { createOrder, findComplaint, OPTIONS, type Candidate } from '../find-complaint';
import {
  toMutant,
  objectAt,
  without,
  schemaPlaces,
  type ContractMutant,
  type Mutation,
  type Path,
} from './contract-mutant';
import { EXAMPLES, exampleMutations, schemaMutations } from './schema-mutations';
import { operationMutations, replyMutations, securityMutations } from './operation-mutations';

const TITLE = 'contract mutants';

/** Contracts that differ from the server's in one thing each; the suite of each has to fail on the server. */
export async function proveContractMutants(file: string, progress: Progress, extent = WHOLE): Promise<Proof> {
  const source = readFileSync(file, 'utf8');
  const root = parse(source, { intAsBigInt: true }) as JsonObject;
  const mutants = sampleOf(makeMutants(root), extent);
  const suite = createSuite(source, OPTIONS);
  const targets = await Promise.all(Array.from({ length: LANES }, () => startTarget(suite)));
  const order = createOrder();
  let done = 0;
  try {
    const [controlled] = targets;
    const control =
      controlled && (await findComplaint(() => createSuite(toText(root), OPTIONS), toCandidate(controlled), order));
    const verdicts = await mapInPool(mutants, LANES, async ({ kind, name, accepted, root: changed }, lane) => {
      const makeSuite = (): Suite => createSuite(toText(changed), OPTIONS);
      // No server is to blame for an example: what is wrong with it stands in the list of what is not tried.
      const complaint =
        kind === EXAMPLES
          ? makeSuite().skipped()[0]?.reason
          : await findComplaint(makeSuite, toCandidate(targets[lane] ?? fail()), order);
      progress(TITLE, ++done, mutants.length);
      return { kind, name, accepted, complaint };
    });
    return { title: TITLE, ...demand(extent, 40, 85), control, verdicts };
  } finally {
    for (const target of targets) await target[Symbol.asyncDispose]();
  }
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
  ].map((mutation) => toMutant(root, mutation));
  const original = toText(root);
  return [...new Map(made.map((mutant) => [toText(mutant.root), mutant])).entries()].flatMap(([text, mutant]) =>
    text === original ? [] : [mutant],
  );
}

function toCandidate(target: Target): Candidate {
  return { target, startSituations: () => Promise.resolve(target) };
}

function toText(root: JsonObject): string {
  return stringify(root, { aliasDuplicateObjects: false });
}

function fail(): never {
  throw new Error('there is a lane without a target');
}

const CATALOGUE = 'x-error-catalogue';

/** What can be wrong with the list of error numbers. */
function catalogueMutations(root: JsonObject): Mutation[] {
  return schemaPlaces(root)
    .filter(({ schema }) => schema[CATALOGUE] !== undefined)
    .flatMap(({ path }) => {
      const at = [...path, CATALOGUE];
      return [...entries(root, at), ...swaps(root, at), ...wholes(at)];
    });
}

function entries(root: JsonObject, path: Path): Mutation[] {
  const catalogue = objectAt(root, path);
  const change = (name: string, field: string, value: Json): (() => Json) => {
    return () => ({ ...catalogue, [name]: { ...objectAt(catalogue, [name]), [field]: value } });
  };
  return Object.keys(catalogue).flatMap((name) => {
    const { number, status } = objectAt(catalogue, [name]);
    return [
      { kind: 'error dropped', detail: name, path, change: () => without(catalogue, name) },
      { kind: 'error renumbered', detail: name, path, change: change(name, 'number', Number(number) + 50) },
      { kind: 'error of another status', detail: name, path, change: change(name, 'status', Number(status) + 1) },
    ];
  });
}

// Of each status the first two, since nothing but prose tells its numbers apart.
function swaps(root: JsonObject, path: Path): Mutation[] {
  const catalogue = objectAt(root, path);
  const statuses = Map.groupBy(Object.keys(catalogue), (name) => objectAt(catalogue, [name])['status']);
  return [...statuses.values()].flatMap(([one, other]) => {
    if (one === undefined || other === undefined) return [];
    const changed = {
      ...catalogue,
      [one]: { ...objectAt(catalogue, [one]), number: objectAt(catalogue, [other])['number'] ?? null },
      [other]: { ...objectAt(catalogue, [other]), number: objectAt(catalogue, [one])['number'] ?? null },
    };
    return [
      {
        kind: 'errors swapped',
        detail: `${one}, ${other}`,
        path,
        accepted: 'told in prose' as const,
        change: () => changed,
      },
    ];
  });
}

function wholes(path: Path): Mutation[] {
  const entry = { number: 40_999n, status: 400n, meaning: 'Never.' };
  return [
    { kind: 'error added', path, change: (value) => ({ ...(isJsonObject(value) ? value : {}), NEVER: entry }) },
    { kind: 'catalogue dropped', path, accepted: 'looser reply', change: () => undefined },
    { kind: 'catalogue emptied', path, accepted: 'looser reply', change: () => ({}) },
  ];
}
