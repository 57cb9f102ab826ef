import { readFileSync } from 'node:fs';
import { parse, stringify } from 'yaml';
import type { JsonObject } from '../../../src/wire/json';
import { startTarget } from '../../../../../tests/support/start-target';
import { demand, LANES, sampleOf, WHOLE } from '../extent';
import { mapInPool } from '../../../src/exchange/pool';
import type { Progress } from '../progress';
import type { Target } from '../../../src/exchange/exchange';
import { createSuite, type Suite } from '../../../src/suite';
import { createOrder, findComplaint, OPTIONS, type Candidate } from '../find-complaint';
import type { Proof } from '../verdict';
import { catalogueMutations } from './catalogue-mutations';
import { toMutant, type ContractMutant } from './contract-mutant';
import { EXAMPLES, exampleMutations } from './example-mutations';
import { operationMutations } from './operation-mutations';
import { replyMutations } from './reply-mutations';
import { schemaMutations } from './schema-mutations';
import { securityMutations } from './security-mutations';

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
          ? makeSuite().untried()[0]?.reason
          : await findComplaint(makeSuite, toCandidate(targets[lane] ?? fail()), order);
      progress(TITLE, ++done, mutants.length);
      return { kind, name, accepted, complaint };
    });
    return { title: TITLE, ...demand(extent, 40, 95), control, verdicts };
  } finally {
    for (const target of targets) await target[Symbol.asyncDispose]();
  }
}

/** Each difference once. */
export function makeMutants(root: JsonObject): ContractMutant[] {
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
