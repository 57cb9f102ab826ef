// Judges the kit by test data of others, and prints where it differs.
import { parseArgs } from 'node:util';
import { judgeBreakingChanges } from './breaking-changes';
import { EXCEPTIONS } from './exceptions';
import { judgeFixtures } from './fixtures';
import { judgeForms } from './forms';
import { type Judge, runJudge } from './judge';
import { judgeJson } from './json';
import { judgeMediaTypes } from './media-types';
import { judgeOpenApi32 } from './openapi-3-2';
import { judgePatches } from './patches';
import { judgeSequences } from './sequences';
import { judgeSignatures } from './signatures';
import { judgeStyles } from './styles';
import { judgeTemplates } from './templates';

const JUDGES: Readonly<Record<string, Judge>> = {
  json: judgeJson,
  fixtures: judgeFixtures,
  'openapi-3.2': judgeOpenApi32,
  signatures: judgeSignatures,
  'media-types': judgeMediaTypes,
  forms: judgeForms,
  styles: judgeStyles,
  templates: judgeTemplates,
  patches: judgePatches,
  sequences: judgeSequences,
  'breaking-changes': judgeBreakingChanges,
};

const NOT_RUN_YET = [
  'oai-fixtures/registries: formats and media types',
  'structured-fields: the kit has no formats or headers that use them',
];

/** @returns the exit status */
export async function runJudges(args: readonly string[], print: (line: string) => void): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { data: { type: 'string' } },
    allowPositionals: true,
  });
  const names = Object.keys(JUDGES);
  const unknown = positionals.some((name) => !names.includes(name));
  if (values.data === undefined || unknown) {
    print(`name a folder with test data from other projects by --data DIR, and optionally some of ${names.join(', ')}`);
    return 2;
  }
  const sums = { tests: 0, exceptions: 0, unexpected: 0 };
  const chosen = Object.entries(JUDGES).filter(([name]) => positionals.length === 0 || positionals.includes(name));
  for (const [name, judge] of chosen) {
    const { tests, exceptions, unexpected } = await runJudge(judge, values.data, EXCEPTIONS[name] ?? []);
    print(`${name}: ${String(tests)} tests, ${String(exceptions)} differ on purpose`);
    for (const line of unexpected) print(`  ${line}`);
    sums.tests += tests;
    sums.exceptions += exceptions;
    sums.unexpected += unexpected.length;
  }
  for (const line of NOT_RUN_YET) print(`not run yet: ${line}`);
  print(
    `result: ${String(sums.tests)} tests by ${String(chosen.length)} judges, ${String(sums.exceptions)} differ on purpose; ${String(sums.unexpected)} unexpected differences`,
  );
  return sums.unexpected > 0 ? 1 : 0;
}

if (require.main === module) {
  void runJudges(process.argv.slice(2), console.log).then((status) => {
    process.exitCode = status;
  });
}
