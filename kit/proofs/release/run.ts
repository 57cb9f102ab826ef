// Makes the files of a release, and tries them as others would get them.
import { execFileSync } from 'node:child_process';
import { chmodSync, cpSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { packKit, type Kit, type PackedPackage } from '@contract-kit/tools/new';
import { load } from 'js-yaml';
import { run, runNpm } from '@contract-kit/test-support/run-as-others';
import { startRegistry } from './registry';
import { expectSame, tryProject } from './try-project';

// The release workflow publishes the files that are left in FOLDER, by the command that is tried here. Only provenance is
// not tried, since it takes the identity of a workflow. With --dry-run, no project is made.

const FOLDER = 'reports/release';
const APPLICATION = 'proofs/release/application';
const WORKFLOW = '.github/workflows/release.yml';
const UNPUBLISHED = 'Not published yet.';
const INSTALLING = 'docs/installing.md';
const OPTIONS = ['--prefer-offline', '--no-audit', '--no-fund'];

async function main([mode]: readonly string[]): Promise<void> {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_REF_TYPE, GITHUB_REF_NAME } = process.env;
  const tag = GITHUB_REF_TYPE === 'tag' ? GITHUB_REF_NAME : undefined;
  const { version } = readManifest();
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`the tag ${tag} does not match the version ${version} in package.json; it must be v${version}`);
  const isHosted = GITHUB_SERVER_URL !== undefined && GITHUB_REPOSITORY !== undefined;
  const kit = packKit(undefined, { repository: isHosted ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : undefined });
  writeRelease(kit, tag !== undefined);

  const base = realpathSync(mkdtempSync(join(tmpdir(), 'release-')));
  // Root starts PostgreSQL as another user, who must be able to run its files.
  chmodSync(base, 0o755);
  try {
    const application = join(base, 'application');
    cpSync(FOLDER, join(application, 'vendor'), { recursive: true });
    writeFileSync(join(application, 'package.json'), '{ "name": "application", "version": "1.0.0", "private": true }');
    await tryInstalling(application, (command) => command);
    await tryStepping(application);
    const tarballs = kit.packages.map(({ tarball }) => `./vendor/${tarball}`);
    await runNpm(application, ['install', ...tarballs, ...OPTIONS], 'added');
    const sbom = await runNpm(application, ['sbom', '--silent', '--sbom-format', 'cyclonedx']);
    writeFileSync(join(FOLDER, 'application.cdx.json'), sbom);
    await tryPublishing(join(base, 'other-application'), kit);
    if (mode !== '--dry-run') {
      await tryProject(join(base, 'project'));
      await tryAlone(join(base, 'kit'));
    }
    const parts = ['installed', 'published', ...(mode === '--dry-run' ? [] : ['called by clients', 'tested alone'])];
    console.log(`result: ${String(kit.packages.length)} packages: ${parts.join(', ')}`);
  } finally {
    rmSync(base, { recursive: true });
  }
}

function readManifest(): { readonly version: string; readonly devDependencies: Readonly<Record<'node', string>> } {
  return JSON.parse(readFileSync('package.json', 'utf8')) as ReturnType<typeof readManifest>;
}

/** Writes the tarballs, the notes, and the list of packages in the order in which they are published. */
function writeRelease({ packages }: Kit, isTagged: boolean): void {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'notes.md'), packages.map((one) => toNotes(one, isTagged)).join('\n'));
  const lines = packages.map(({ name, specifier, tarball }) => `${name}@${specifier} ${tarball}\n`);
  writeFileSync(join(FOLDER, 'packages.txt'), lines.join(''));
  for (const { tarball, bytes } of packages) {
    writeFileSync(join(FOLDER, tarball), bytes);
    const command = ['proofs/release/node_modules/publint/src/cli.js', 'run', join(FOLDER, tarball), '--strict'];
    execFileSync(process.execPath, command, { stdio: 'inherit' });
  }
}

/** What the changelog says of its newest version. @throws Error when that is not the version of the package */
function toNotes({ name, specifier, changes }: PackedPackage, isTagged: boolean): string {
  const [, newest = ''] = changes.split(/^## /m);
  const [heading] = newest.split('\n', 1);
  if (heading !== specifier)
    throw new Error(`${name} has the version ${specifier}, but its CHANGELOG.md has ${String(heading)}`);
  if (isTagged && newest.includes(UNPUBLISHED))
    throw new Error(`the CHANGELOG.md of ${name} still says "${UNPUBLISHED}"`);
  return `## ${name} ${newest}`;
}

/**
 * Installs the kit in an application as docs/installing.md says, and generates its code.
 *
 * @param change what to run instead of a command of the page
 */
async function tryInstalling(folder: string, change: (command: string) => string): Promise<void> {
  cpSync('packages/test-support/fixtures/lending.yaml', join(folder, 'openapi.yaml'));
  // The application has the Node of this repository.
  const { node } = readManifest().devDependencies;
  await runNpm(folder, [
    'pkg',
    'set',
    `devDependencies.node=${JSON.stringify(node)}`,
    'allowScripts.node=true',
    '--json',
  ]);
  // What follows is for an application that has the kit.
  const [installing = ''] = readFileSync(INSTALLING, 'utf8').split('\n## Updates\n');
  for (const [, command = ''] of installing.matchAll(/^npm (install .*)$/gm))
    await runNpm(folder, [...change(command).split(' '), ...OPTIONS], 'added');
  await runNpm(folder, ['exec', '--no', '--', 'contract-kit', 'generate'], 'wrote api.d.ts');
}

/** Sends the same requests to an application without the kit, and at each step of docs/from-express-openapi-validator.md. */
async function tryStepping(folder: string): Promise<void> {
  cpSync('proofs/release/replay.cjs', join(folder, 'replay.cjs'));
  const { status, output } = await run(folder, process.execPath, 'replay.cjs');
  console.log(output);
  if (status !== 0 || !output.includes('watch: 0 of 50 differ')) throw new Error('a step changes what it should not');
}

/** Copies the kit to a folder, and tests it there: it needs nothing of a repository that it is part of. */
async function tryAlone(folder: string): Promise<void> {
  const files = execFileSync('git', ['ls-files'], { encoding: 'utf8' }).trim().split('\n');
  for (const file of files) cpSync(file, join(folder, file));
  await runNpm(folder, ['ci', ...OPTIONS], 'added');
  await runNpm(folder, ['test'], ' 0 failed');
}

/** Publishes to a registry on this machine, from which an application installs the kit. */
async function tryPublishing(folder: string, { packages }: Kit): Promise<void> {
  await using registry = await startRegistry();
  // From here on, every npm finds the packages of the kit there. In capitals, the settings reach npm as others run it.
  process.env['NPM_CONFIG_@contract-kit:registry'] = registry.base.href;
  // npm publishes nothing without a token, and this registry takes any.
  process.env[`NPM_CONFIG_//${registry.base.host}/:_authToken`] = 'anybody';
  const published = await publish();
  expectSame(
    'published packages',
    published,
    packages.map(({ name, specifier }) => `+ ${name}@${specifier}`),
  );
  expectSame('packages published again, of which there must be none', await publish(), []);
  const tarball = /\.\/vendor\/contract-kit-(\w+)-(\S+)\.tgz/g;
  cpSync(APPLICATION, folder, { recursive: true });
  await tryInstalling(folder, (command) => command.replaceAll(tarball, '@contract-kit/$1@$2'));
  await runNpm(folder, ['install', '@contract-kit/store', ...OPTIONS], 'added');
  await runNpm(folder, ['run', 'types']);
  await runNpm(folder, ['test'], '1 passed, 1 total');
}

/** Runs the step of the workflow that publishes, and returns what npm says of each package that it published. */
async function publish(): Promise<readonly string[]> {
  const { jobs } = load(readFileSync(WORKFLOW, 'utf8')) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const command = steps.find((step) => step.run?.includes('npm publish'))?.run;
  const { status, output } = await run(FOLDER, 'bash', '-e', '-c', String(command));
  // npm says what it had to correct in a package.json.
  if (status !== 0 || output.includes('npm warn publish')) throw new Error(output);
  return output.split('\n').filter((line) => line.startsWith('+ '));
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
