import { mkdirSync, writeFileSync } from 'node:fs';
import { findContracts } from '../tests/corpus/contracts';
import type { Outcome } from '../tests/corpus/outcome';
import { formatReport, formatRow, HEADING, isEnough } from '../tests/corpus/report';
import { runCorpus } from '../tests/corpus/run-corpus';

const LIMIT_MS = 600_000;
const SAMPLE_LIMIT_MS = 60_000;
const REPORT = 'reports/corpus.txt';

/** @param args `--sample` for some of the contracts, a part of a name for those that have it */
async function main(args: readonly string[]): Promise<void> {
  const [part = ''] = args.filter((one) => !one.startsWith('-'));
  const isSample = args.includes('--sample');
  const contracts = findContracts(isSample).filter(({ name }) => name.includes(part));
  const outcomes: Outcome[] = [];
  console.log(HEADING);
  for await (const outcome of runCorpus(contracts, isSample ? SAMPLE_LIMIT_MS : LIMIT_MS)) {
    outcomes.push(outcome);
    showProgress('');
    console.log(formatRow(outcome));
    showProgress(`${String(outcomes.length)} of ${String(contracts.length)}`);
  }
  showProgress('');
  const report = formatReport(outcomes);
  console.log(`\n${report}`);
  mkdirSync('reports', { recursive: true });
  writeFileSync(REPORT, `${[HEADING, ...outcomes.map(formatRow), '', report].join('\n')}\n`);
  if (!isEnough(outcomes)) process.exitCode = 1;
}

/** On a terminal, the last line tells how far it is. */
function showProgress(text: string): void {
  if (process.stderr.isTTY) process.stderr.write(`\r\x1b[2K${text}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
