// Judges the check of breaking changes by pairs of contracts, of which it is known whether the second breaks clients.
import { parseYaml } from '../../packages/contract/src/1-parse/parse-yaml';
import type { Document } from '../../packages/contract/src/2-resolve/document';
import { readOperations } from '../../packages/contract/src/load-contract';
import { findBreakingChanges } from '../../packages/tools/src/check/breaking-changes';
import { readJsonFile, Verdicts } from './judge';

interface Pair {
  readonly name: string;
  readonly base: object;
  readonly revision: object;
  readonly expected: 'breaking' | 'fine' | 'arguable';
}

type Contract = Parameters<typeof findBreakingChanges>[0];

// oxlint-disable-next-line typescript/require-await -- judges are asynchronous
export async function judgeBreakingChanges(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  for (const file of ['own', 'oasdiff']) {
    const pairs = readJsonFile(data, 'breaking-changes', `${file}.json`) as readonly Pair[];
    for (const { name, base, revision, expected } of pairs.filter((pair) => pair.expected !== 'arguable')) {
      const changes = findBreakingChanges(read(base), read(revision));
      const isRight = changes.length > 0 === (expected === 'breaking');
      const found = changes.map(({ cause }) => cause).join('; ') || 'breaks nothing';
      verdicts.add(`${file}, ${name}`, isRight ? undefined : found);
    }
  }
  return verdicts;
}

function read(document: object): Contract {
  // JSON is YAML, too.
  const contract = readOperations(parseYaml(JSON.stringify(document), 'a.yaml') as Document);
  const [error] = contract.errors;
  if (error) throw error;
  return contract;
}
