import { format, resolveConfig } from 'prettier';
import type { Operation } from '../../src/contract/operation/operation';

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
    `import type { Handler } from '../../generated/handlers';`,
    `import { notBuilt } from '../contract/handler/not-built';`,
    ``,
    `/** ${method} ${path.replaceAll('*/', '*\\/')}: not built yet. */`,
    `export const ${id}: Handler<'${id}'> = () => notBuilt('${id}');`,
  ];
  return format(text.join('\n'), { ...(await resolveConfig(file)), parser: 'typescript' });
}
