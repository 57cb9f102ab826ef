import { createStub } from '../../generate/create-stub';
import { toHandlerFiles } from '../../generate/handler-files';
import type { NewContract } from '../read-contract';

/** The handlers of a new project, by file: one for each operation, as `npm run generate` writes it, and the table of them. */
export async function makeHandlers({ operations, catalogue }: NewContract): Promise<Record<string, string>> {
  const names = toHandlerFiles(operations, 'openapi.yaml');
  const stubs = operations.map(async (operation) => {
    const file = `src/handlers/${String(names.get(operation.id))}`;
    return [file, await createStub(operation, catalogue, file)] as const;
  });
  return { ...Object.fromEntries(await Promise.all(stubs)), 'src/handlers/index.ts': makeTable(names) };
}

function makeTable(names: ReadonlyMap<string, string>): string {
  const imports = [...names].map(([id, file]) => `import { ${id} } from './${file.replace(/\.ts$/, '')}';\n`);
  return `import type { Handlers } from '../contract/handler';
${imports.join('')}
/** The table of handlers. It does not compile when an operation of the contract is missing, or is one too many. */
export const handlers: Handlers = {
${[...names.keys()].map((id) => `  ${id},\n`).join('')}};
`;
}
