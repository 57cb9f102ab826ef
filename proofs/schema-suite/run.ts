// Compares the kit with the official JSON Schema test suite, and prints the differences.
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { EXPECTED_DIFFERENCES, EXPECTED_REFUSALS, type Expected } from './expected';
import { COLUMNS, judgeFile, type Row } from './judge-file';
import { DIALECTS, readSuite } from './read-suite';

const REPORT = 'reports/schema-suite.txt';

async function main(): Promise<number> {
  const { suite } = parseArgs({ options: { suite: { type: 'string' } } }).values;
  if (suite === undefined) {
    console.error(
      'name a clone of json-schema-org/JSON-Schema-Test-Suite from GitHub by --suite DIR; npm does not have it',
    );
    return 2;
  }
  const report: string[] = [];
  const surprises: string[] = [];
  const all: Row[] = [];
  for (const [index, dialect] of DIALECTS.entries()) {
    const rows: Row[] = [];
    for (const file of readSuite(suite, dialect)) rows.push(await judgeFile(file));
    all.push(...rows);
    const [optional, required] = [true, false].map((isWanted) =>
      rows.filter(({ name }) => name.startsWith('optional/') === isWanted),
    );
    const sums = [formatSum('required', required), formatSum('optional', optional)];
    const summary = [dialect.name, formatRow('file', COLUMNS), ...sums];
    console.log(`${summary.join('\n')}\n`);
    const refused = Map.groupBy(rows.flatMap(({ refusals }) => refusals).map(toReason), (reason) => reason);
    const differing = new Map(rows.map(({ name, differences }) => [name, differences]));
    report.push(...summary, ...rows.map((row) => formatSum(row.name, [row])), ...[...differing.values()].flat());
    report.push(...[...refused].map(([reason, same]) => `${String(same.length)} refused: ${reason}`), '');
    const unexpected = [
      ...findUnexpected(differing, EXPECTED_DIFFERENCES, index),
      ...findUnexpected(refused, EXPECTED_REFUSALS, index),
    ];
    surprises.push(...unexpected.map((line) => `${dialect.name}, ${line}`));
  }
  mkdirSync('reports', { recursive: true });
  writeFileSync(REPORT, `${[...report, ...surprises].join('\n')}\n`);
  console.log([`${REPORT} has a row for each file.`, ...surprises].join('\n'));
  const sum = (column: (typeof COLUMNS)[number]): string => String(sumOf(all, column));
  const differences = String(all.flatMap((row) => row.differences).length);
  console.log(
    `result: ${sum('tests')} tests in ${String(DIALECTS.length)} dialects, ${differences} differ; ${sum('groups')} schemas, ${sum('refused')} refused; ${String(surprises.length)} lines of unexpected differences`,
  );
  return surprises.length > 0 ? 1 : 0;
}

function formatSum(name: string, rows: readonly Row[] = []): string {
  return formatRow(
    name,
    COLUMNS.map((column) => String(sumOf(rows, column))),
  );
}

function sumOf(rows: readonly Row[], column: (typeof COLUMNS)[number]): number {
  return rows.reduce((sum, { counts }) => sum + counts[column], 0);
}

function formatRow(name: string, cells: readonly string[]): string {
  return name.padEnd(44) + cells.map((cell) => cell.padStart(12)).join('');
}

/** The reason of a refusal, without its place and what it quotes. */
function toReason(refusal: string): string {
  const [first = ''] = refusal.split('\n');
  return first
    .replace(/^(?:contract)?(?::\d+:\d+|#\S*)? /, '')
    .replaceAll(/"[^"]*"|(?:https?:|#)\S+/g, '...')
    .replace(/ \(\d+ times\)$/, '');
}

/** Lists what was found more, or less, often than it is expected of a dialect. */
function findUnexpected(
  found: ReadonlyMap<string, readonly string[]>,
  expected: readonly Expected[],
  dialect: number,
): string[] {
  const counts = new Map(expected.map(([what, ofDialects]) => [what, ofDialects[dialect] ?? 0]));
  return [...new Set([...found.keys(), ...counts.keys()])].flatMap((what) => {
    const lines = found.get(what) ?? [];
    const wanted = counts.get(what) ?? 0;
    return lines.length === wanted ? [] : [`${what}: ${String(lines.length)}, not ${String(wanted)}`, ...lines];
  });
}

void main().then((status) => {
  process.exitCode = status;
});
