// Judges servers that are not ours, and prints whether each verdict is right, and whether another validator agrees.
import { execFile } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createSuite, describeCause, groupByCause, runSuite, type CaseResult } from '@contract-kit/conformance';
import { levelOf } from '../../packages/conformance/src/generators/case';
import { FROM_SOURCE } from '@contract-kit/test-support/run-as-others';
import { formatTable } from '@contract-kit/test-support/format-table';
import { askAnotherValidator, JUDGED_CONTRACTS } from './another-validator';
import {
  CONTRACT,
  hasProgram,
  RIGHT_SERVERS,
  WRONG_SERVERS,
  type Fault,
  type Manner,
  type RightServer,
  type WrongServer,
} from './servers';

const REPORTS = 'reports/conformance';

/** Holds a server to `robust`, which has all that `contract` has. */
async function judgeServer(base: URL, { secrets, timeout }: Manner) {
  const suite = createSuite(readFileSync(CONTRACT, 'utf8'), { marker: 'foreign', level: 'robust' });
  const options = { isWanted: () => true };
  const results: CaseResult[] = [];
  for await (const result of runSuite(suite, { base, secrets, timeout }, options)) results.push(result);
  const describe = (some: readonly CaseResult[]): string[] => groupByCause(some).map((cause) => describeCause(cause));
  return {
    cases: results.length,
    found: results.flatMap(({ case: { label }, findings }) => findings.map((finding) => ({ ...finding, label }))),
    /** The causes, one line each: of what `contract` sends, and of all that `robust` does. */
    contract: describe(results.filter(({ case: one }) => levelOf(one) === 'contract')),
    robust: describe(results),
  };
}

/** What came of a server; its table has a row for each. */
interface Verdict {
  readonly name: string;
  /** Undefined where it did not run, which the note says. */
  readonly judgement: Awaited<ReturnType<typeof judgeServer>> | undefined;
  /** Of the command's report. */
  readonly lines?: number;
  readonly note: string;
  readonly isRight: boolean;
}

/** The command's report is one that people read. */
const MAX_LINES = 75;

/**
 * Judges the right servers one after the other, and the wrong ones beside them.
 *
 * @param tell is told of each server, as soon as it was judged
 */
async function proveServers(tell: (verdict: Verdict) => void): Promise<Verdict[]> {
  const told = async (judged: Promise<Verdict>): Promise<Verdict> => {
    tell(await judged);
    return judged;
  };
  const judgeInTurn = async (): Promise<Verdict[]> => {
    const verdicts: Verdict[] = [];
    for (const server of RIGHT_SERVERS) verdicts.push(await told(judgeRight(server)));
    return verdicts;
  };
  const all = [judgeInTurn(), ...WRONG_SERVERS.map(async (server) => [await told(judgeWrong(server))])];
  return (await Promise.all(all)).flat();
}

async function judgeRight(server: RightServer): Promise<Verdict> {
  const { name, needs, start } = server;
  if (needs !== undefined && !hasProgram(needs))
    return { name, judgement: undefined, note: `did not run, because ${needs} is not installed`, isRight: true };
  await using running = await start();
  const judgement = await judgeServer(running.base, server);
  const isRight = judgement.robust.length === 0 && judgement.cases > 0;
  return { name, judgement, note: isRight ? 'no failures' : judgement.robust.join('\n'), isRight };
}

async function judgeWrong(server: WrongServer): Promise<Verdict> {
  const { name, faults, start } = server;
  await using running = await start();
  const lines = await countLines(running.base, server);
  const judgement = await judgeServer(running.base, server);
  const isOf = ({ check, label }: { check: string; label: string }, fault: Fault): boolean =>
    check === fault.check && fault.label.test(label);
  const missed = faults.filter((fault) => !judgement.found.some((finding) => isOf(finding, fault)));
  const unknown = judgement.found.filter((finding) => !faults.some((fault) => isOf(finding, fault)));
  const problems = [
    ...missed.map((fault) => `MISSED: ${fault.name}`),
    ...unknown.map(({ check, label, text }) => `UNKNOWN FAULT: ${label}: ${text} [${check}]`),
    ...(lines > MAX_LINES ? [`the report has more than ${String(MAX_LINES)} lines`] : []),
  ];
  const found = faults.filter((fault) => !missed.includes(fault)).map((fault) => fault.name);
  return { name, judgement, lines, note: [...found, ...problems].join('\n'), isRight: problems.length === 0 };
}

/** How many lines the command prints. */
function countLines(base: URL, { secrets, timeout }: WrongServer): Promise<number> {
  const node = [...FROM_SOURCE, 'packages/conformance/src/cli.ts'];
  const args = ['--level', 'contract', '--contract', CONTRACT, '--url', base.href, '--token-env', 'TOKEN'];
  const limits = ['--timeout', String(timeout)];
  const env = { ...process.env, TOKEN: Object.values(secrets)[0] };
  return new Promise((resolve, reject) => {
    execFile(process.execPath, [...node, ...args, ...limits], { env }, (error, stdout, stderr) => {
      // It ends with 1 where something is wrong.
      if (error?.code !== 1) reject(new Error(`the command reported no finding: ${stdout}${stderr}`));
      else resolve(stdout.trimEnd().split('\n').length);
    });
  });
}

const HEAD = ['server', 'cases', 'contract', 'robust', 'lines', 'found'];

/** What is said against a server at each level. */
function toRows({ name, judgement, lines, note }: Verdict): string[][] {
  const count = (value: number | undefined): string => (value === undefined ? '-' : String(value));
  const [first = '', ...others] = note.split('\n');
  const counts = [judgement?.cases, judgement?.contract.length, judgement?.robust.length, lines].map(count);
  return [[name, ...counts, first], ...others.map((text) => ['', '', '', '', '', text])];
}

async function main(): Promise<void> {
  const verdicts = await proveServers(({ name, isRight }) => {
    process.stderr.write(`${name}: ${isRight ? 'as expected' : 'NOT AS EXPECTED'}\n`);
  });
  const table = `${formatTable([HEAD, ...verdicts.flatMap(toRows)])}\n`;
  mkdirSync(REPORTS, { recursive: true });
  writeFileSync(`${REPORTS}/specificity.txt`, table);
  process.stdout.write(`\n${table}`);
  const wrong = verdicts.filter(({ isRight }) => !isRight).length;
  const total = { compared: 0, disagreed: 0 };
  for (const file of JUDGED_CONTRACTS) {
    const { compared, disagreed } = await askAnotherValidator(file);
    const lines = [
      `${file}: another validator agrees on all but ${String(disagreed.length)} of ${String(compared)} values`,
    ];
    process.stdout.write(`${[...lines, ...disagreed].join('\n')}\n`);
    total.compared += compared;
    total.disagreed += disagreed.length;
    if (compared === 0) process.exitCode = 1;
  }
  const values = `another validator agrees on all but ${String(total.disagreed)} of ${String(total.compared)} values`;
  console.log(`result: ${String(verdicts.length)} servers, ${String(wrong)} not as expected; ${values}`);
  if (wrong + total.disagreed > 0) process.exitCode = 1;
}

main().catch((error: unknown) => {
  console.error(error);
  process.exitCode = 1;
});
