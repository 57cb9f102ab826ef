import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import type { CorpusContract } from './run';
import { tryContract } from './try-contract';

// Tries one contract after the other for `run.ts`, which ends this process when one takes too long.
setFlagsFromString('--expose-gc');
Object.assign(globalThis, { gc: runInNewContext('gc') as () => void });

// The linter warns of each format that it does not know.
console.warn = () => undefined;

process.on('disconnect', () => process.exit());
process.on('message', ({ contract, isJudged }: { readonly contract: CorpusContract; readonly isJudged: boolean }) => {
  void tryContract(contract, isJudged, (outcome) => process.send?.(outcome)).then(() => process.send?.('done'));
});
