import { createStub } from '../../generate/stubs';
import { toHandlerFile } from '../../generate/stubs';
import type { NewContract } from '../read-contract';

/** The handlers of a new project, as `npm run generate` writes them, and their table: each text by its path. */
export async function makeHandlers({ operations }: NewContract): Promise<Record<string, string>> {
  const stubs = operations.map(async (operation) => {
    const file = `src/handlers/${toHandlerFile(operation)}`;
    return [file, await createStub(operation, file)] as const;
  });
  return { ...Object.fromEntries(await Promise.all(stubs)), 'src/handlers/index.ts': makeTable(operations) };
}

function makeTable(operations: NewContract['operations']): string {
  const imports = operations.map(
    ({ id }) => `import { ${id} } from './${toHandlerFile({ id }).replace(/\.ts$/, '')}';\n`,
  );
  return `import type { Handlers } from '../../generated/handlers';
${imports.join('')}
/** The table of handlers. It does not compile when an operation of the contract is missing, or is one too many. */
export const handlers: Handlers = {
${operations.map(({ id }) => `  ${id},\n`).join('')}};
`;
}
