// Makes the files of a release, and tries them with a registry on this machine.
import { execFileSync, fork, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { createProject, packKit, type Kit, type PackedPackage } from '@contract-kit/tools/new';
import { load } from 'js-yaml';
import { findPort } from '../../tests/support/listen-on-loopback';
import { runNpm } from '../../tests/support/run-as-others';
import { makeSbom } from '../sbom/run';
import { tryInstalling } from './try-installing';

// The release workflow publishes the files that are left in FOLDER, by the command that is tried here. Only provenance is
// not tried: it takes the identity of a workflow. With --dry-run, no project gets its packages from the registry.

const FOLDER = 'reports/release';
const WORKFLOW = '.github/workflows/release.yml';
const UNPUBLISHED = 'Not published yet.';
/** The folder with what only this check needs. */
const JUDGES = resolve('proofs/release/node_modules');

/** What is used of `@cyclonedx/cyclonedx-library`: it is installed with this check only. */
interface CycloneDx {
  readonly Validation: {
    readonly JsonStrictValidator: new (version: string) => { validate: (text: string) => Promise<object[] | null> };
  };
}

async function main([mode]: readonly string[]): Promise<void> {
  const { GITHUB_SERVER_URL, GITHUB_REPOSITORY, GITHUB_REF_TYPE, GITHUB_REF_NAME } = process.env;
  const tag = GITHUB_REF_TYPE === 'tag' ? GITHUB_REF_NAME : undefined;
  const { version } = readManifest('.');
  if (tag !== undefined && tag !== `v${version}`)
    throw new Error(`the tag ${tag} does not match the version ${version} in package.json; it must be v${version}`);
  const isHosted = GITHUB_SERVER_URL !== undefined && GITHUB_REPOSITORY !== undefined;
  const kit = packKit(undefined, { repository: isHosted ? `${GITHUB_SERVER_URL}/${GITHUB_REPOSITORY}` : undefined });
  await writeRelease(kit, tag !== undefined);

  const base = realpathSync(mkdtempSync(join(tmpdir(), 'release-')));
  tryInstalling(join(base, 'application'), FOLDER);
  const registry = await startRegistry(base);
  try {
    expectSame(
      'published packages',
      publish(),
      kit.packages.map(({ name, specifier }) => `+ ${name}@${specifier}`),
    );
    expectSame('packages published again', publish(), []);
    if (mode !== '--dry-run') await tryProject(join(base, 'project'), kit);
  } finally {
    registry.kill();
    rmSync(base, { recursive: true });
  }
}

/** Writes tarballs, bills of materials, notes, and the list of packages in the order in which they are published. */
async function writeRelease({ packages }: Kit, isTagged: boolean): Promise<void> {
  rmSync(FOLDER, { recursive: true, force: true });
  mkdirSync(FOLDER, { recursive: true });
  writeFileSync(join(FOLDER, 'notes.md'), packages.map((one) => toNotes(one, isTagged)).join('\n'));
  writeFileSync(
    join(FOLDER, 'packages.txt'),
    packages.map(({ name, specifier, tarball }) => `${name}@${specifier} ${tarball}\n`).join(''),
  );
  for (const one of packages) {
    const file = join(FOLDER, one.tarball);
    writeFileSync(file, one.bytes);
    execFileSync(process.execPath, [join(JUDGES, 'publint/src/cli.js'), 'run', file, '--strict'], { stdio: 'inherit' });
    const sbom = await makeValidSbom(one);
    writeFileSync(file.replace(/\.tgz$/, '.cdx.json'), sbom);
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

/** @throws Error when it is not as the schema of CycloneDX says */
async function makeValidSbom({ name, bytes }: PackedPackage): Promise<string> {
  const sbom = makeSbom({ ...readManifest(name.replace('@contract-kit', 'packages')), private: undefined });
  const digest = createHash('sha512').update(bytes).digest('hex');
  sbom.metadata.component.hashes = [{ alg: 'SHA-512', content: digest }];
  const text = JSON.stringify(sbom, null, 2);
  const require = createRequire(join(JUDGES, 'index.js'));
  const { Validation } = require('@cyclonedx/cyclonedx-library') as CycloneDx;
  const mistakes = await new Validation.JsonStrictValidator(sbom.specVersion).validate(text);
  if (mistakes) throw new Error(`the bill of materials of ${name} is not valid: ${JSON.stringify(mistakes)}`);
  return text;
}

function readManifest(folder: string): { readonly name: string; readonly version: string } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { name: string; version: string };
}

/** Starts an empty registry, of which every npm is told from here on that it has the packages of the kit, and no others. */
async function startRegistry(folder: string): Promise<{ readonly kill: () => boolean }> {
  const address = `127.0.0.1:${String(await findPort())}`;
  const config = join(folder, 'config.yaml');
  const all = { access: '$anonymous', publish: '$anonymous' };
  const log = { type: 'stdout', format: 'pretty', level: 'error' };
  writeFileSync(config, JSON.stringify({ storage: join(folder, 'storage'), packages: { '**': all }, log }));
  const registry = fork(join(JUDGES, 'verdaccio/bin/verdaccio'), ['--config', config, '--listen', address]);
  const ended = once(registry, 'exit').then(() => Promise.reject(new Error('the registry ended')));
  await Promise.race([once(registry, 'message'), ended]);
  // In capitals: runNpm() leaves out what npm_ begins.
  process.env['NPM_CONFIG_@contract-kit:registry'] = `http://${address}/`;
  // npm publishes nothing without a token, and this registry takes any.
  process.env[`NPM_CONFIG_//${address}/:_authToken`] = 'anybody';
  return registry;
}

/** Runs the step of the workflow that publishes, and returns what npm says of each package that it published. */
function publish(): readonly string[] {
  const { jobs } = load(readFileSync(WORKFLOW, 'utf8')) as {
    readonly jobs: Readonly<Record<string, { readonly steps: readonly { readonly run?: string }[] }>>;
  };
  const steps = Object.values(jobs).flatMap((job) => job.steps);
  const command = steps.find(({ run }) => run?.includes('npm publish'))?.run;
  const { status, stdout, stderr } = spawnSync('bash', ['-e', '-c', String(command)], {
    cwd: FOLDER,
    encoding: 'utf8',
  });
  // npm says what it had to correct in a package.json.
  if (status !== 0 || stderr.includes('npm warn publish')) throw new Error(stdout + stderr);
  return stdout.split('\n').filter((line) => line.startsWith('+ '));
}

/** Makes a project whose packages come from the registry, and runs its tests. */
async function tryProject(folder: string, kit: Kit): Promise<void> {
  await createProject({ contract: 'tests/fixtures/lending.yaml', folder, name: undefined, hasStore: true }, () => kit);
  rmSync(join(folder, 'vendor'), { recursive: true });
  runNpm(folder, ['ci'], 0, 'added');
  runNpm(folder, ['test'], 0, '4 of 4 operations are not built yet');
}

/** @throws Error when they are not the same */
function expectSame(what: string, lines: readonly string[], expected: readonly string[]): void {
  console.log(`${what}: ${lines.join(', ')}`);
  if (lines.join() !== expected.join()) throw new Error(`${what}: expected ${expected.join(', ') || 'none'}`);
}

main(process.argv.slice(2)).catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
