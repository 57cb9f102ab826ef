// Writes the file of a handler that is not built.
import { format, resolveConfig } from 'prettier';
import type { Operation } from '@contract-kit/server/contract';

// A project's own settings of Prettier win.
const DEFAULT_STYLE = { singleQuote: true, printWidth: 120 };

/** Writes a handler that answers "not built yet". `file` is its path, by which Prettier finds its settings. */
export async function createStub(
  { id, method, path }: Pick<Operation, 'id' | 'method' | 'path'>,
  file: string,
): Promise<string> {
  const text = [
    `import { notBuilt } from '@contract-kit/server';`,
    `import type { Handler } from '../../generated/handlers';`,
    ``,
    // In a path, the characters that end a comment are escaped.
    `/** ${method} ${path.replaceAll('*/', '*\\/')}: not built yet. */`,
    `export const ${id}: Handler<'${id}'> = () => notBuilt('${id}');`,
  ];
  return format(text.join('\n'), { ...DEFAULT_STYLE, ...(await resolveConfig(file)), parser: 'typescript' });
}
