// Starts each sound service and each of its bugs, judges each as a user would, and prints which bugs are found, and by what.
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { OFFICE_BUGS, startOffice, type OfficeBug } from './office';
import { BUGS, startService, type BugName } from './service';
import { startTheatre, THEATRE_BUGS, type TheatreBug } from './theatre';
import { startUnusual } from './unusual';

const COMMAND = 'packages/conformance/dist/cli.js';
const FOLDER = 'packages/conformance/tests/team-bugs';
const TOKENS = { CLAIMS_TOKEN: 'token-of-alice', CLAIMS_OTHER_TOKEN: 'token-of-bob' };
const CALLERS = ['--token-env', 'CLAIMS_TOKEN', '--other-token-env', 'CLAIMS_OTHER_TOKEN'];
const LEVELS = [['contract'], ['robust', '--destructive']] as const;

const [ALICE] = Object.values(TOKENS);

interface Row {
  readonly name: string;
  readonly isSound?: boolean;
  readonly expected: string;
  readonly contract: string;
  readonly start: () => ReturnType<typeof startTheatre>;
}

const of = (name: string, start: Row['start']): Pick<Row, 'contract' | 'start'> => ({
  contract: `${FOLDER}/${name}.yaml`,
  start,
});
const ofClaims = (bug: BugName | undefined, older = 0) =>
  of('contract', () => startService({ bug, older, tokens: Object.values(TOKENS) }));
const ofTheatre = (bug: TheatreBug | undefined) => of('theatre', () => startTheatre(bug, String(ALICE)));
const ofOffice = (bug: OfficeBug | undefined) => of('office', () => startOffice(bug, String(ALICE)));
const SOUND = { isSound: true, expected: 'nothing' };
const ROWS: readonly Row[] = [
  { ...SOUND, name: 'sound', ...ofClaims(undefined) },
  { ...SOUND, name: 'sound, older items', ...ofClaims(undefined, 400) },
  { ...SOUND, name: 'sound theatre', ...ofTheatre(undefined) },
  { ...SOUND, name: 'sound office', ...ofOffice(undefined) },
  { ...SOUND, name: 'sound and unusual', ...of('unusual', startUnusual) },
  ...Object.entries(BUGS).map(([name, bug]) => ({
    ...{ name, expected: bug.expected },
    ...ofClaims(name as BugName, 'older' in bug ? bug.older : 0),
  })),
  ...Object.entries(THEATRE_BUGS).map(([name, { expected }]) => ({ name, expected, ...ofTheatre(name as TheatreBug) })),
  ...Object.entries(OFFICE_BUGS).map(([name, { expected }]) => ({ name, expected, ...ofOffice(name as OfficeBug) })),
];

const run = promisify(execFile);

/** What is found: each with its case, the reason, the request and the reply. Undefined without a verdict in time. */
async function judge({ name, contract, start }: Row, args: readonly string[]): Promise<string[] | undefined> {
  await using service = await start();
  const junit = `reports/conformance/team-bugs/${name.replaceAll(/\W+/g, '-')}.xml`;
  const target = ['--contract', contract, '--url', `${service.url}/v1`];
  const options = { env: { ...process.env, ...TOKENS }, timeout: 600_000, maxBuffer: Infinity };
  const ended = run(process.execPath, [COMMAND, ...target, ...CALLERS, '--junit', junit, '--level', ...args], options);
  const status = await ended.then(
    () => 0,
    (error: unknown) => (error as { code?: unknown }).code,
  );
  // With 3, no case has failed, and some prove nothing: valid changes need --destructive.
  if (![0, 1, 3].includes(Number(status))) return undefined;
  const messages = [...readFileSync(junit, 'utf8').matchAll(/<failure message="([^"]*)"/g)].map(([, text]) => text);
  return messages.map((text = '') => text.replaceAll('&#xA;', '\n'));
}

async function prove(row: Row): Promise<{ isFound: boolean; isRight: boolean }> {
  const from = Date.now();
  let [found, by] = ['nothing', ''];
  for (const [level, ...args] of LEVELS) {
    const findings = await judge(row, [level, ...args]);
    if (findings?.length === 0) continue;
    const [title = '', reason = ''] = findings?.[0]?.split('\n') ?? [];
    found = findings ? level : 'no verdict';
    by = `${reason.trim()}: ${title} (${String(findings?.length)} cases)`;
    break;
  }
  const isRight = found === row.expected;
  const seconds = String(Math.round((Date.now() - from) / 1000));
  console.log(`| ${row.name} | ${found}${isRight ? '' : `, EXPECTED: ${row.expected}`} | ${by} | ${seconds} |`);
  return { isFound: row.isSound !== true && ['contract', 'robust'].includes(found), isRight };
}

async function main(): Promise<void> {
  const words = process.argv.slice(2);
  const queue = ROWS.filter(({ name }) => words.length === 0 || words.some((word) => name.includes(word))).values();
  const results: Awaited<ReturnType<typeof prove>>[] = [];
  console.log('| service | found at | by | seconds |\n| --- | --- | --- | --- |');
  const work = async (): Promise<void> => {
    for (const row of queue) results.push(await prove(row));
  };
  await Promise.all([work(), work()]);
  const found = results.filter(({ isFound }) => isFound).length;
  const wrong = results.filter(({ isRight }) => !isRight).length;
  console.log(
    `\nresult: ${String(results.length)} services, ${String(found)} bugs found, ${String(wrong)} rows not as expected`,
  );
  if (wrong > 0) process.exitCode = 1;
}

void main();
