// Makes a project for each contract of other teams, and prints what became of it.
import { mkdirSync, writeFileSync } from 'node:fs';
import { findContracts } from '../tests/corpus/contracts';
import { formatReport, formatRow, HEADING, isEnough, summarize, toPage, type Outcome } from '../tests/corpus/report';
import { runCorpus } from '../tests/corpus/run-corpus';

const LIMITS = { limit: 600_000, suiteLimit: 120_000 };
const SAMPLE_LIMITS = { limit: 120_000, suiteLimit: 120_000 };
const REPORT = 'reports/corpus.txt';
const PAGE = 'docs/corpus.md';
const DAY = 'yyyy-mm-dd'.length;

/**
 * @param args `--sample` for some of the contracts, `--start-only` without the suite, `--write` for docs/corpus.md, a part
 * of a name for those that have it
 */
async function main(args: readonly string[]): Promise<void> {
  const [part = ''] = args.filter((one) => !one.startsWith('-'));
  const isSample = args.includes('--sample');
  const isJudged = !args.includes('--start-only');
  const limits = isSample ? SAMPLE_LIMITS : LIMITS;
  const contracts = findContracts(isSample).filter(({ name }) => name.includes(part));
  const outcomes: Outcome[] = [];
  console.log(HEADING);
  for await (const outcome of runCorpus(contracts, { ...limits, isJudged })) {
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
  if (args.includes('--write')) writeFileSync(PAGE, toPage(outcomes, new Date().toISOString().slice(0, DAY)));
  console.log(`result: ${summarize(outcomes)}`);
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
