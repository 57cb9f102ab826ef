import { chmodSync, constants, copyFileSync, mkdirSync, mkdtempSync, readdirSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { makeForeignEnvironment } from '../support/foreign-environment';
import { buildStage, makeReadOnly, makeWritable, measure, useImage } from './image-check/image';
import { findStage, readContext, readDockerfile } from './image-check/read-dockerfile';

// What the Dockerfile says, as far as it can be done without a container engine: no base image, and no isolation but that
// of a user and of a folder that nobody may write to. The Node is the one that runs this.

async function main(): Promise<void> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'image-')));
  try {
    chmodSync(folder, 0o755);
    const place = { folder, context: readContext(), env: makeEnvironment(folder) };
    const stages = readDockerfile();
    const folders = stages.map((stage) => buildStage(stage, { ...place, folder: join(folder, 'stages') }));
    const app = String(folders.at(-1));
    for (const name of readdirSync(app)) report(name, measure(join(app, name)));
    report('in all, without the base image, which is not measured', measure(app));
    makeReadOnly(app);
    for (const line of await useImage(findStage(stages), app, { PATH: String(place.env['PATH']) })) console.log(line);
  } finally {
    makeWritable(folder);
    rmSync(folder, { recursive: true });
  }
}

/** As on another machine that has this Node. */
function makeEnvironment(folder: string): NodeJS.ProcessEnv {
  const bin = join(folder, 'bin');
  mkdirSync(bin);
  copyFileSync(process.execPath, join(bin, 'node'), constants.COPYFILE_FICLONE);
  const env = makeForeignEnvironment();
  return { ...env, PATH: [bin, env['PATH']].join(delimiter) };
}

function report(what: string, bytes: number): void {
  console.log(`${(bytes / 1e6).toFixed(2).padStart(8)} MB  ${what}`);
}

main().catch((error: unknown) => {
  console.error((error as Error).message);
  process.exitCode = 1;
});
