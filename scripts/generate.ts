import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { generate } from './generate/generate';

const CONTRACT = 'openapi.yaml';
const FOLDER = 'generated';

async function main(args: readonly string[]): Promise<void> {
  const files = await generate(readFileSync(CONTRACT, 'utf8'), CONTRACT);
  const stale = Object.keys(files).filter((name) => readGenerated(name) !== files[name]);
  if (args.includes('--check')) {
    if (stale.length > 0) throw new Error(`${FOLDER}/ is stale (${stale.join(', ')}): run npm run generate`);
    console.log(`${FOLDER}/ matches ${CONTRACT}`);
    return;
  }
  mkdirSync(FOLDER, { recursive: true });
  for (const name of stale) writeFileSync(join(FOLDER, name), files[name] ?? '');
  console.log(`${FOLDER}/: ${stale.length === 0 ? 'nothing to change' : `wrote ${stale.join(', ')}`}`);
}

function readGenerated(name: string): string | undefined {
  const file = join(FOLDER, name);
  return existsSync(file) ? readFileSync(file, 'utf8') : undefined;
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exitCode = 1;
});
