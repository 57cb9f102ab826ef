// Judges whether a contract that uses all of OpenAPI 3.2 is served and typed: each of its operations is a test.
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { analyseServed, generateFiles } from '../../packages/tools/src/generate/generate';
import { Verdicts } from './judge';

export async function judgeOpenApi32(data: string): Promise<Verdicts> {
  const file = join(data, 'openapi-3.2/sample.yaml');
  const analysis = analyseServed(readFileSync(file, 'utf8'), file);
  const { 'api.d.ts': types = '' } = await generateFiles(analysis, false);
  const verdicts = new Verdicts();
  for (const { method, path, id } of analysis.operations)
    verdicts.add(`${method} ${path}`, types.includes(` ${id}: {`) ? undefined : 'not typed');
  for (const name of analysis.unserved ?? ['each operation']) verdicts.add(name, 'not served');
  return verdicts;
}
