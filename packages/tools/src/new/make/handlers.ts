import { createStub } from '../../generate/create-stub';
import { toHandlerFile } from '../../generate/handler-files';
import type { NewContract } from '../read-contract';

/**
 * Writes the handlers of a new project: one for each operation, as `npm run generate` does, and their table.
 *
 * @returns the text of each file, by its path in the project
 */
export async function makeHandlers({ operations }: NewContract): Promise<Record<string, string>> {
  const stubs = operations.map(async (operation) => {
    const file = `src/handlers/${toHandlerFile(operation)}`;
    return [file, await createStub(operation, file)] as const;
  });
  return { ...Object.fromEntries(await Promise.all(stubs)), 'src/handlers/index.ts': makeTable(operations) };
}

/** Writes src/handlers/index.ts of a new project, the table of its handlers by operation. */
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
