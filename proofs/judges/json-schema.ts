// Judges requests, replies and the suite's validator by the official test suite of JSON Schema.
import { EXPECTED_DIFFERENCES, EXPECTED_REFUSALS, type Expected } from './json-schema/expected';
import { judgeFile, type Row } from './json-schema/judge-file';
import { DIALECTS, readSuite } from './json-schema/read-suite';
import type { Judged } from './judge';

/** @param suite the folder of a clone of json-schema-org/JSON-Schema-Test-Suite */
export async function judgeJsonSchema(suite: string): Promise<Judged> {
  const judged = { tests: 0, exceptions: 0, unexpected: [] as string[] };
  for (const [index, dialect] of DIALECTS.entries()) {
    const rows: Row[] = [];
    for (const file of readSuite(suite, dialect)) rows.push(await judgeFile(file));
    const differing = new Map(rows.map(({ name, differences }) => [name, differences]));
    const refused = Map.groupBy(rows.flatMap(({ refusals }) => refusals).map(toReason), (reason) => reason);
    const unexpected = [
      ...findUnexpected(differing, EXPECTED_DIFFERENCES, index),
      ...findUnexpected(refused, EXPECTED_REFUSALS, index),
    ];
    judged.tests += rows.reduce((sum, { tests }) => sum + tests, 0);
    judged.exceptions += [...differing.values(), ...refused.values()].flat().length;
    judged.unexpected.push(...unexpected.map((line) => `${dialect.name}, ${line}`));
  }
  return judged;
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
