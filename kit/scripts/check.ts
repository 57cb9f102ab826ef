// Lists the proofs of this repository, or runs one. With --record, it writes the result into docs/proofs.md.
import { execFileSync, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, lstatSync, readFileSync, realpathSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { dirname, join } from 'node:path';
import { formatError, formatUsage, print } from '@contract-kit/conformance/terminal';
import { CHECKS } from './checks';

const RECORD = '--record';
const PAGE = 'docs/proofs.md';
const RECORDED = Object.entries(CHECKS).filter(([, { isRecorded }]) => isRecorded);
// Files that proofs themselves write may have changed.
const EXCLUDED = [PAGE, 'docs/corpus.md', 'docs/bench'].map((path) => `:(exclude)${path}`);
const ROW = /^\| \[?([a-z:-]+).*$/gm;

const HEAD = `# Proofs

This page is for anybody who asks how the kit's promises were last tested. \`npm run check\` says what each proof does;
\`npm run check -- NAME --record\` runs one on a tree without changes and writes its row. FAILED marks a run that did
not meet the proof's requirements. It stays until we fix the kit or withdraw the promise.

| proof | result | options | date, UTC | commit | took | on |
|---|---|---|---|---|---|---|
`;

/**
 * Runs a proof as `npm run check` does, and replaces its row afterwards.
 *
 * @returns its exit status
 * @throws Error when the tree has changes before or after, or when the proof passes without a result
 */
async function recordProof(name: string, args: readonly string[]): Promise<number> {
  const check = CHECKS[name];
  if (!check?.isRecorded)
    throw new Error(
      `${name} has no row in ${PAGE}; --record works for ${RECORDED.map(([recorded]) => recorded).join(', ')}`,
    );
  assertNoLink('.', PAGE);
  const commit = runGit('rev-parse', '--short', 'HEAD').trim();
  assertUnchanged(commit);
  const start = Date.now();
  const { status, result } = await run(check.command, check.page === undefined ? args : [...args, '--write']);
  const took = Date.now() - start;
  assertUnchanged(commit);
  if (status === 0 && result === undefined)
    throw new Error('the proof passed without printing a line that begins with "result: "');
  const cells = [
    check.page !== undefined && existsSync(check.page) ? `[${name}](${check.page.replace('docs/', '')})` : name,
    `${status === 0 ? '' : 'FAILED: '}${result ?? 'the proof ended without a result'}`,
    args.length === 0 ? '' : `\`${args.map(withoutPath).join(' ')}\``,
    new Date().toISOString().slice(0, 'yyyy-mm-dd'.length),
    commit,
    formatDuration(took),
    `${String(availableParallelism())} cores, Node ${process.versions.node}`,
  ];
  const row = `| ${cells.map((cell) => cell.replaceAll('|', String.raw`\|`)).join(' | ')} |`;
  writeFileSync(PAGE, replaceRow(existsSync(PAGE) ? readFileSync(PAGE, 'utf8') : '', row));
  return status;
}

/** Returns the page with this row instead of the old one, and with the rows of the other proofs. */
function replaceRow(page: string, row: string): string {
  const rows = new Map([...`${page}\n${row}`.matchAll(ROW)].map(([line, name]) => [name, line]));
  const lines = RECORDED.map(([name]) => rows.get(name) ?? `| ${name} | not run yet | | | | | |`);
  return `${HEAD}${lines.join('\n')}\n`;
}

/** @throws Error when a file in a folder, or a folder on its path, is a link, so that it would be written elsewhere */
function assertNoLink(folder: string, file: string): void {
  const isLink = lstatSync(join(folder, file), { throwIfNoEntry: false })?.isSymbolicLink() === true;
  const parent = dirname(file);
  if (isLink || realpathSync(join(folder, parent)) !== join(realpathSync(folder), parent))
    throw new Error(`${file} is a symbolic link or behind one, and files are not written through links`);
}

function assertUnchanged(commit: string): void {
  // All of the repository, in which this may be a folder beside the service.
  const paths = ['--', ':/', ...EXCLUDED];
  const changed = runGit('diff', '--name-only', commit, ...paths);
  const added = runGit('ls-files', '--others', '--full-name', '--exclude-standard', ...paths);
  if (changed + added !== '')
    throw new Error(
      `the result is not recorded, because these files differ from commit ${commit}:\n${changed}${added}`,
    );
}

function runGit(...args: readonly string[]): string {
  return execFileSync('git', args, { encoding: 'utf8' });
}

async function run(command: string, args: readonly string[]): Promise<{ status: number; result: string | undefined }> {
  const child = spawn('sh', ['-c', `${command} "$@"`, 'sh', ...args], { stdio: ['inherit', 'pipe', 'inherit'] });
  let output = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    process.stdout.write(text);
    output += text;
  });
  const [status] = (await once(child, 'close')) as [number | null];
  const result = [...output.matchAll(/^result: (.+)$/gm)].at(-1)?.[1];
  return { status: status ?? 1, result };
}

/** Replaces a path, which means nothing on another machine. */
function withoutPath(arg: string): string {
  return arg.replace(/(^|=)(?:~|\.{0,2}\/).*/, '$1DIR');
}

function formatDuration(milliseconds: number): string {
  const minutes = Math.round(milliseconds / 60_000);
  if (minutes < 2) return `${(milliseconds / 1000).toFixed(0)} s`;
  return minutes < 60 ? `${String(minutes)} min` : `${String(Math.floor(minutes / 60))} h ${String(minutes % 60)} min`;
}

function main([name, ...given]: readonly string[]): void {
  const args = given.filter((arg) => arg !== RECORD);
  const check = name !== undefined && Object.hasOwn(CHECKS, name) ? CHECKS[name] : undefined;
  if (name !== undefined && check && args.length < given.length) {
    recordProof(name, args).then(
      (status) => {
        process.exitCode = status;
      },
      (error: unknown) => {
        print(formatError(error as Error, '', process.stderr), process.stderr);
        process.exitCode = 2;
      },
    );
  } else if (check) {
    const { status } = spawnSync('sh', ['-c', `${check.command} "$@"`, 'sh', ...args], { stdio: 'inherit' });
    process.exitCode = status ?? 1;
  } else if (name === undefined) {
    const groups = Map.groupBy(Object.entries(CHECKS), ([, { takes }]) => takes);
    const rows = [...groups].flatMap(([takes, checks]) => [
      ...['', takes],
      ...checks.map(([check, { what }]) => `  ${check.padEnd(16)}  ${what}`),
    ]);
    const record = `With ${RECORD}, a proof that has a row in docs/proofs.md writes its result there.`;
    print(formatUsage(['npm run check -- NAME ...', ...rows, '', record].join('\n'), process.stdout));
  } else {
    print(`${name} is not a proof; npm run check lists them`, process.stderr);
    process.exitCode = 2;
  }
}

if (require.main === module) main(process.argv.slice(2));
