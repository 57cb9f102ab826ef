import { mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { writeContract, writeFiles } from '../src/new/create-project';
import { makeProjectFiles } from '../src/new/project-files';

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
export async function makeProject(file = RELEASED): Promise<Disposable & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  const contract = await writeContract(folder, file);
  writeFiles(folder, await makeProjectFiles('project', contract, { packages: [], changelog: '', modules: '' }));
  if (file === RELEASED) writeFiles(folder, { 'src/handlers/create-plant.ts': HANDLER });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
