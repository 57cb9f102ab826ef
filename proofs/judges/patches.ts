// Judges how the suite applies a merge patch, by the examples of RFC 7396.
import { isSame, type Json } from '../../packages/conformance/src/wire/json';
import { mergePatch } from '../../packages/conformance/src/stateful/representation';
import { readJsonFile, Verdicts } from './judge';

interface Row {
  readonly original: Json;
  readonly patch: Json;
  readonly result: Json;
}

// oxlint-disable-next-line typescript/require-await -- judges are asynchronous
export async function judgePatches(data: string): Promise<Verdicts> {
  const verdicts = new Verdicts();
  for (const { original, patch, result } of readJsonFile(data, 'json-merge-patch.json') as readonly Row[]) {
    const found = mergePatch(original, patch);
    const test = `${JSON.stringify(original)} with ${JSON.stringify(patch)}`;
    verdicts.add(test, isSame(found, result) ? undefined : JSON.stringify(found));
  }
  return verdicts;
}
