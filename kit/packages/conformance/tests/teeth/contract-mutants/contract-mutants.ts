import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { JsonObject } from '../../../src/wire/json';
import { startTarget } from '@contract-kit/test-support/start-target';
import { LANES, prove, type Progress, type Proof } from '../proof';
import { createSuite, type Suite } from '../../../src/suite';
import { createOrder, findComplaint, OPTIONS } from '../find-complaint';
import { toMutants, type ContractMutant } from './contract-mutant';
import {
  EXAMPLES,
  exampleMutations,
  operationMutations,
  replyMutations,
  schemaMutations,
  securityMutations,
} from './mutations';

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
