// Writes a handler for each operation that has none.
import { existsSync, readFileSync } from 'node:fs';
import { format, resolveConfig } from 'prettier';
import { type Operation, toFileName } from '@contract-kit/contract';
import { toRequestText } from './contract-text';
import { addToTable, listHandlers, makeTable } from './handler-table';
import { isModuleFolder, toModule } from './package-type';
import { writeInside } from '../write/write-inside';

const FOLDER = 'src/handlers';
const TABLE = `${FOLDER}/index.ts`;

/**
 * Writes a handler that answers "not built yet" for each operation without a file in src/handlers/. A file that exists
 * is never changed; src/handlers/index.ts gets the lines of the new handlers, and is made with the first ones.
 *
 * @returns lines for people: what was written, and what src/handlers/index.ts lacks; none when nothing was written
 */
export async function writeStubs(operations: readonly Operation[]): Promise<string[]> {
  const written: string[] = [];
  for (const operation of operations) {
    const file = `${FOLDER}/${toHandlerFile(operation)}`;
    if (existsSync(file)) continue;
    const stub = await createStub(operation, file);
    // One may have been written meanwhile.
    if (existsSync(file)) continue;
    writeInside('', file, isModuleFolder(FOLDER) ? toModule(stub) : stub);
    written.push(operation.id);
  }
  return [
    ...written.map((id) => `${FOLDER}/: wrote ${toHandlerFile({ id })}, which answers that ${id} is not built yet`),
    ...writeTable(written, written.length === operations.length),
  ];
}

// Tells which lines to write where the table is not found: a project may have it elsewhere.
function writeTable(written: readonly string[], areFirst: boolean): string[] {
  const isModule = isModuleFolder(FOLDER);
  const isThere = existsSync(TABLE);
  const table = isThere ? readFileSync(TABLE, 'utf8') : '';
  const listed = listHandlers(table) ?? table.split(/[^\p{ID_Continue}$]+/u);
  const missing = written.filter((id) => !listed.includes(id));
  if (missing.length === 0) return [];
  const paths = missing.map((id) => [id, `./${toFileName(id)}${isModule ? '.js' : ''}`] as const);
  const first = isModule ? toModule(makeTable(missing)) : makeTable(missing);
  const longer = !isThere && areFirst ? first : addToTable(table, Object.fromEntries(paths));
  if (longer === undefined) {
    const imports = paths.map(([id, path]) => `  import { ${id} } from '${path}';`);
    const lacked = `${isThere ? `${TABLE} lacks` : 'The table of handlers needs'} these lines, at the top and in the table:`;
    return [lacked, ...imports, ...missing.map((id) => `    ${id},`)];
  }
  writeInside('', TABLE, longer);
  return [`${TABLE}: added ${missing.join(', ')}`];
}

// A project's own settings of Prettier win.
const DEFAULT_STYLE = { singleQuote: true, printWidth: 120 };

type StubbedOperation = Pick<Operation, 'id' | 'method' | 'path' | 'parameters' | 'body' | 'security'>;

/** Writes a handler that answers "not built yet". `file` is its path, by which Prettier finds its settings. */
export async function createStub(operation: StubbedOperation, file: string): Promise<string> {
  const { id, method, path } = operation;
  const text = [
    `import { notBuilt } from '@contract-kit/server';`,
    `import type { Handler } from '../../generated/handlers';`,
    ``,
    `/** ${method} ${toRequestText(path)}: not built yet. */`,
    // In a comment: linters refuse names that are not used.
    `export const ${id}: Handler<'${id}'> = (/* { ${listNames(operation).join(', ')} }, reply */) => notBuilt('${id}');`,
  ];
  return format(text.join('\n'), { ...DEFAULT_STYLE, ...(await resolveConfig(file)), parser: 'typescript' });
}

const GROUPS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' };

/** What its handler gets that the operation declares, and the log. */
function listNames({ parameters, body, security }: StubbedOperation): string[] {
  const groups = Object.entries(GROUPS).filter(([name]) => parameters.some(({ location }) => location === name));
  const hasCallers = security.some(({ length }) => length > 0);
  return [...groups.map(([, group]) => group), ...(body ? ['body'] : []), ...(hasCallers ? ['identity'] : []), 'log'];
}

/** The file of src/handlers/ that an operation has its handler in, such as `list-books.ts`. */
export function toHandlerFile({ id }: Pick<Operation, 'id'>): string {
  return `${toFileName(id)}.ts`;
}
