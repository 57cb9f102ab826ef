import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { makeHandlers } from '../../scripts/new/make/handlers';
import { makeService } from '../../scripts/new/make/service';
import { readContract } from '../../scripts/new/read-contract';

const PARTS = ['.prettierrc.json', 'eslint.config.mjs', 'package.json', 'scripts', 'src', 'tsconfig.json'];
// What grows with this service's own contract.
const OWN = ['src/handlers', 'src/service.ts', 'src/store'];
const HANDLER = `import type { Handler } from '../../generated/handlers';

export const createPlant: Handler<'createPlant'> = ({ body: { name, tag } }, reply) => {
  const plant = { name, ...(tag !== undefined && { tag }) };
  return reply(200, plant);
};
`;

/**
 * What the project is made of, but for its tests, in a folder of its own that may be changed. The contract is a released
 * one, which stays as it is, and its handler keeps nothing.
 */
export async function copyProject(): Promise<Disposable & { readonly folder: string }> {
  const contract = await readContract('contracts/1.0.0.yaml');
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  for (const name of PARTS) cpSync(name, join(folder, name), { recursive: true });
  for (const name of OWN) rmSync(join(folder, name), { recursive: true });
  for (const name of ['generated', 'src/handlers']) mkdirSync(join(folder, name));
  const files = {
    'openapi.yaml': contract.source,
    'src/service.ts': makeService(contract),
    ...(await makeHandlers(contract)),
    'src/handlers/create-plant.ts': HANDLER,
  };
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  for (const [name, text] of Object.entries(contract.generated)) writeFileSync(join(folder, 'generated', name), text);
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
