import { format, resolveConfig } from 'prettier';
import type { Operation } from '../../src/contract/operation';
import type { ErrorCatalogue } from './error-catalogue';

const NOT_IMPLEMENTED = 501;

/**
 * The handler of an operation that nobody has written yet: it answers that it is not built, with 501 where the catalogue
 * has an error of this status and the operation declares it, else with 503, which every operation declares.
 *
 * @param file its path, for its format
 * @returns the text of the file
 */
export async function createStub(
  { id, method, path, replies }: Pick<Operation, 'id' | 'method' | 'path' | 'replies'>,
  catalogue: ErrorCatalogue,
  file: string,
): Promise<string> {
  const [own] = Object.entries(catalogue).find(([, { status }]) => status === NOT_IMPLEMENTED) ?? [];
  const error = own !== undefined && replies.has(NOT_IMPLEMENTED) ? own : 'SERVICE_UNAVAILABLE';
  const text = [
    `import type { Handler } from '../contract/handler';`,
    `import { notBuilt } from '../contract/not-built';`,
    ``,
    `/** ${method} ${path.replaceAll('*/', '*\\/')}: not built yet. */`,
    `export const ${id}: Handler<'${id}'> = () => notBuilt('${id}', '${error}');`,
  ];
  return format(text.join('\n'), { ...(await resolveConfig(file)), parser: 'typescript' });
}
