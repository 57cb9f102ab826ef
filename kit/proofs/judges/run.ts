// Judges the kit by test data of others, and prints where it differs.
import { parseArgs } from 'node:util';
import { judgeForms, judgeJson, judgePatches } from './bodies';
import { judgeBreakingChanges, judgeFixtures, judgeOpenApi32 } from './contracts';
import { EXCEPTIONS } from './exceptions';
import { type Judge, runJudge } from './judge';
import { judgeJsonSchema } from './json-schema';
import { judgeMediaTypes } from './media-types';
import { judgeSequences } from './sequences';
import { judgeSignatures } from './signatures';
import { judgeStyles, judgeTemplates } from './uri-templates';

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

/** The judge that reads the folder of `--suite` instead of that of `--data`. */
const JSON_SCHEMA = 'json-schema';

/** @returns the exit status */
export async function runJudges(args: readonly string[], print: (line: string) => void): Promise<number> {
  const { values, positionals } = parseArgs({
    args: [...args],
    options: { data: { type: 'string' }, suite: { type: 'string' } },
    allowPositionals: true,
  });
  const { data, suite } = values;
  const names = [...Object.keys(JUDGES), JSON_SCHEMA];
  const chosen = names
    .filter((name) => (name === JSON_SCHEMA ? suite : data) !== undefined)
    .filter((name) => positionals.length === 0 || positionals.includes(name));
  if (chosen.length === 0 || positionals.some((name) => !chosen.includes(name))) {
    print(
      `name a folder with test data from other projects by --data DIR, a clone of json-schema-org/JSON-Schema-Test-Suite for ${JSON_SCHEMA} by --suite DIR, and optionally some of ${names.join(', ')}`,
    );
    return 2;
  }
  const sums = { tests: 0, exceptions: 0, unexpected: 0 };
  for (const name of chosen) {
    const judge = JUDGES[name];
    const { tests, exceptions, unexpected } = judge
      ? await runJudge(judge, data ?? '', EXCEPTIONS[name] ?? [])
      : await judgeJsonSchema(suite ?? '');
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
