import { randomInt } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { collectResults } from './results';

const FILE = 'reports/durability.jsonl';

function beforeAllProofs(): void {
  process.env['DURABILITY_SEED'] ??= String(randomInt(1, 1_000_000));
  process.stderr.write(`DURABILITY_SEED=${process.env['DURABILITY_SEED']}\n`);
  mkdirSync('reports', { recursive: true });
  writeFileSync(FILE, '');
  collectResults(FILE);
}

export { beforeAllProofs as default };
