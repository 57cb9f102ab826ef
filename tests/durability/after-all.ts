import { writeFileSync } from 'node:fs';
import { formatResults, readResults, summarize } from './results';

function afterAllProofs(): void {
  const seed = `DURABILITY_SEED=${String(process.env['DURABILITY_SEED'])}`;
  const results = readResults();
  const text = `${formatResults(results)}\n\nresult: ${summarize(results)}; ${seed}\n`;
  writeFileSync('reports/durability.txt', text);
  process.stdout.write(`\n${text}`);
}

export { afterAllProofs as default };
