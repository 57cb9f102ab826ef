import { writeFileSync } from 'node:fs';
import { formatResults, readResults } from './results';

function afterAllProofs(): void {
  const seed = `DURABILITY_SEED=${String(process.env['DURABILITY_SEED'])}`;
  const text = `${formatResults(readResults())}\n\n${seed}\n`;
  writeFileSync('reports/durability.txt', text);
  process.stdout.write(`\n${text}`);
}

export { afterAllProofs as default };
