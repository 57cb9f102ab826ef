// Judges the kit by the official test suite of JSON Schema, and prints where it disagrees.
import { mkdirSync, writeFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { EXPECTED_DIFFERENCES, EXPECTED_REFUSALS } from '../tests/schema-suite/expected';
import { DIALECTS, readSuite } from '../tests/schema-suite/read-suite';
import { formatRow, HEADING, judgeFile, sumRows, toReason, type Row } from '../tests/schema-suite/report';

const REPORT = 'reports/schema-suite.txt';

async function main(): Promise<number> {
  const { suite } = parseArgs({ options: { suite: { type: 'string' } } }).values;
  if (suite === undefined) {
    console.error(
      '--suite DIR is needed: json-schema-org/JSON-Schema-Test-Suite of GitHub, which npm has no package of',
    );
    return 2;
  }
  const report: string[] = [];
  const surprises: string[] = [];
  for (const dialect of DIALECTS) {
    const rows: Row[] = [];
    for (const file of readSuite(suite, dialect)) rows.push(await judgeFile(file));
    const required = sumRows(
      'required',
      rows.filter(({ isRequired }) => isRequired),
    );
    const optional = sumRows(
      'optional',
      rows.filter(({ isRequired }) => !isRequired),
    );
    const sums = [dialect.name, HEADING, ...[required, optional].map(formatRow)];
    console.log(`${sums.join('\n')}\n`);
    report.push(...sums, ...rows.map(formatRow), ...rows.flatMap(({ differences }) => differences));
    const reasons = Map.groupBy([...required.refusals, ...optional.refusals].map(toReason), (reason) => reason);
    report.push(...[...reasons].map(([reason, same]) => `${String(same.length)} refused: ${reason}`), '');
    const found = rows.map((row) => [row.name, row.differences.length, row.differences] as const);
    const refused = [...reasons].map(([reason, same]) => [reason, same.length, []] as const);
    surprises.push(
      ...compare(found, EXPECTED_DIFFERENCES[dialect.name] ?? []).map((line) => `${dialect.name}, ${line}`),
    );
    surprises.push(
      ...compare(refused, EXPECTED_REFUSALS[dialect.name] ?? []).map((line) => `${dialect.name}, ${line}`),
    );
  }
  mkdirSync('reports', { recursive: true });
  writeFileSync(REPORT, [...report, ...surprises].join('\n') + '\n');
  console.log([`${REPORT} has a row for each file.`, ...surprises].join('\n'));
  return surprises.length > 0 ? 1 : 0;
}

void main().then((status) => {
  process.exitCode = status;
});

/** Lists what was found otherwise than it is expected. */
function compare(
  found: readonly (readonly [what: string, count: number, lines: readonly string[]])[],
  expected: readonly (readonly [what: string, count: number, why?: string])[],
): string[] {
  const counts = new Map(found.map(([what, count]) => [what, count]));
  const gone = expected.filter(([what]) => !counts.has(what)).map(([what]) => [what, 0, []] as const);
  return [...found, ...gone].flatMap(([what, count, lines]) => {
    const wanted = expected.find(([other]) => other === what)?.[1] ?? 0;
    return count === wanted ? [] : [`${what}: ${String(count)}, not ${String(wanted)}`, ...lines];
  });
}
