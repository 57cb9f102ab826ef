import { join, delimiter, resolve } from 'node:path';
import { execFile } from 'node:child_process';
import { existsSync, readdirSync, writeFileSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

/** What came of a command. */
export interface Ended {
  readonly status: number;
  readonly output: string;
}

/** Runs a command as on another machine, with the variable TOKEN. */
export function run(cwd: string, command: string, ...args: readonly string[]): Promise<Ended> {
  const env = { ...makeForeignEnvironment(), TOKEN: 'a-token-for-the-tests' };
  return new Promise((done) => {
    execFile(command, args, { cwd, env, maxBuffer: 1024 ** 3 }, (error, stdout, stderr) => {
      done({ status: error ? Number(error.code) : 0, output: `${stdout}${stderr}` });
    });
  });
}

/** It ended well, and said a text. */
export const ok = (text: string): Ended => ({ status: 0, output: expect.stringContaining(text) as string });

/**
 * Packs packages of this repository, and installs them in a folder, which is empty or an application.
 *
 * @param names the packages, each with those that it needs
 * @param others what npm is to install with it
 * @returns what came of its installation
 * @throws Error when one cannot be packed
 */
export async function installPacked(
  folder: string,
  names: readonly string[],
  ...others: readonly string[]
): Promise<Ended> {
  for (const name of names) {
    const { status, output } = await run(`packages/${name}`, 'npm', 'pack', '--pack-destination', folder);
    if (status !== 0) throw new Error(output);
  }
  // npm would install them in a folder above, if that had a package.json.
  if (!existsSync(join(folder, 'package.json'))) writeFileSync(join(folder, 'package.json'), '{ "private": true }');
  const tarballs = readdirSync(folder).filter((entry) => entry.endsWith('.tgz'));
  const packages = [...tarballs.map((tarball) => `./${tarball}`), ...others];
  return run(folder, 'npm', 'install', '--prefer-offline', '--no-audit', '--no-fund', ...packages);
}

/**
 * The environment as on another machine: without what npm tells its scripts, the service that a proof drives, and the
 * packages that are installed here. What the network asks for stays.
 */
function makeForeignEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(process.env).filter(
    ([name]) => !/^(npm_|INIT_CWD$|SERVICE$|NODE_(?!EXTRA_CA_CERTS$))/.test(name),
  );
  const path = String(process.env['PATH']).split(delimiter);
  const others = path.filter((entry) => !/node_modules|node-gyp-bin/.test(entry));
  return { ...Object.fromEntries(inherited), PATH: others.join(delimiter) };
}

/** Arguments of Node that let it run a script of this repository as it is written, in any folder. */
export const FROM_SOURCE: readonly string[] = ['--conditions=source', '--require', resolve('scripts/register.cjs')];

const EOV = 'express-openapi-validator';

/**
 * Finds the packages that are installed in the place of Ajv.
 *
 * @param folder a project with the server of the kit
 * @returns name and version of what EOV, ajv-formats and ajv-draft-04 get as `ajv`
 */
export function findAjvs(folder: string): string[] {
  const server = createRequire(resolve(folder, 'package.json')).resolve('@contract-kit/server/package.json');
  const eov = createRequire(server).resolve(EOV);
  return [EOV, 'ajv-formats', 'ajv-draft-04'].map((user) => {
    const file = createRequire(createRequire(eov).resolve(user)).resolve('ajv/package.json');
    const { name, version } = JSON.parse(readFileSync(file, 'utf8')) as { name: string; version: string };
    return `${name}@${version}`;
  });
}

/**
 * Runs npm, as the owner of a project would.
 *
 * @returns what it prints
 * @throws Error with what it prints, when it fails or does not print the text
 */
export async function runNpm(cwd: string, args: readonly string[], text = ''): Promise<string> {
  const start = performance.now();
  const { status, output } = await run(cwd, 'npm', ...args);
  const seconds = ((performance.now() - start) / 1000).toFixed(0);
  console.log(`npm ${args.join(' ')}: ended with ${String(status)} after ${seconds} s`);
  if (status === 0 && output.includes(text)) return output;
  throw new Error(`npm ${args.join(' ')}: not 0 with "${text}"\n${output}`);
}
