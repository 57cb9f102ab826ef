import { writeFileSync } from 'node:fs';
import { formatResults } from './format-results';
import { readResults } from './result';

function afterAllProofs(): void {
  const seed = `DURABILITY_SEED=${String(process.env['DURABILITY_SEED'])}`;
  const text = `${formatResults(readResults())}\n\n${seed}\n`;
  writeFileSync('reports/durability.txt', text);
  process.stdout.write(`\n${text}`);
}

export { afterAllProofs as default };
