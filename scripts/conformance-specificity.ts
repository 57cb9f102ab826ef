// Judges servers that are not ours, and prints whether each verdict is right, and whether another validator agrees.
import { mkdirSync, writeFileSync } from 'node:fs';
import { askAnotherValidator, JUDGED_CONTRACTS } from '../tests/specificity/another-validator';
import { formatVerdicts, proveServers } from '../tests/specificity/prove';

const REPORTS = 'reports/conformance';

async function main(): Promise<void> {
  const verdicts = await proveServers(({ name, isRight }) => {
    process.stderr.write(`${name}: ${isRight ? 'as it has to be' : 'NOT AS IT HAS TO BE'}\n`);
  });
  const table = `${formatVerdicts(verdicts)}\n`;
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(`${REPORTS}/specificity.txt`, table);
  process.stdout.write(`\n${table}`);
  if (!verdicts.every(({ isRight }) => isRight)) process.exitCode = 1;
  for (const file of JUDGED_CONTRACTS) {
    const { compared, disagreed } = await askAnotherValidator(file);
    const lines = [
      `${file}: another validator agrees on all but ${String(disagreed.length)} of ${String(compared)} values`,
    ];
    process.stdout.write(`${[...lines, ...disagreed].join('\n')}\n`);
    if (disagreed.length > 0 || compared === 0) process.exitCode = 1;
  }
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
