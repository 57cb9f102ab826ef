import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';
import { writeContract, writeFiles } from '../src/new/create-project';
import { makeProjectFiles, type ProjectForm } from '../src/new/project-files';
import { FROM_SOURCE } from '../../../tests/support/run-as-others';

/** Runs a script to its end; the output is what it writes, errors last. */
export function runNode(cwd: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** The arguments of Node for the command `contract-kit`, as it is written, in any folder. */
export const CONTRACT_KIT = [...FROM_SOURCE, resolve('packages/tools/src/cli.ts')];

const RELEASED = 'contracts/1.0.0.yaml';
const HANDLER = `import type { Handler } from '../../generated/handlers';

export const createPlant: Handler<'createPlant'> = ({ body: { name, tag } }, reply) => {
  const plant = { name, ...(tag !== undefined && { tag }) };
  return reply(200, plant);
};
`;

/**
 * A new project in a folder of its own that may be changed, with the packages as they are built here.
 *
 * @param file its contract; a released one, which stays as it is, has a handler that keeps nothing
 */
export async function makeProject(
  file = RELEASED,
  form: ProjectForm = { isModule: false, hasStore: false },
): Promise<Disposable & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  const contract = await writeContract(folder, file, form.isModule);
  writeFiles(folder, await makeProjectFiles('project', contract, { packages: [], changelog: '', modules: '' }, form));
  if (file === RELEASED) writeFiles(folder, { 'src/handlers/create-plant.ts': HANDLER });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
