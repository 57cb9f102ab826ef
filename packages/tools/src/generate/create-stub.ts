// Writes the file of a handler that is not built.
import { format, resolveConfig } from 'prettier';
import type { Operation } from '@contract-kit/server/contract';

// Where a project has no style of its own.
const STYLE = { singleQuote: true, printWidth: 120 };

/**
 * The handler of an operation that is not written yet: it answers that the operation is not built.
 *
 * @param file its path, for its format
 * @returns the text of the file
 */
export async function createStub(
  { id, method, path }: Pick<Operation, 'id' | 'method' | 'path'>,
  file: string,
): Promise<string> {
  const text = [
    `import { notBuilt } from '@contract-kit/server';`,
    `import type { Handler } from '../../generated/handlers';`,
    ``,
    `/** ${method} ${path.replaceAll('*/', '*\\/')}: not built yet. */`,
    `export const ${id}: Handler<'${id}'> = () => notBuilt('${id}');`,
  ];
  return format(text.join('\n'), { ...STYLE, ...(await resolveConfig(file)), parser: 'typescript' });
}
