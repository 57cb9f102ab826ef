// Writes a stub for each operation without a handler.
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
 * Writes a handler that answers "not built yet" for each operation without a file in src/handlers/, and adds it to
 * src/handlers/index.ts. It never changes existing handlers.
 *
 * @returns lines for people: what was written, and what to add to src/handlers/index.ts
 */
export async function writeStubs(operations: readonly Operation[]): Promise<string[]> {
  const writtenIds: string[] = [];
  for (const operation of operations) {
    const file = `${FOLDER}/${toHandlerFile(operation)}`;
    if (existsSync(file)) continue;
    const stub = await createStub(operation, file);
    // Check again, since somebody may have written the file in the meantime.
    if (existsSync(file)) continue;
    writeInside('', file, isModuleFolder(FOLDER) ? toModule(stub) : stub);
    writtenIds.push(operation.id);
  }
  return [
    ...writtenIds.map((id) => `wrote ${FOLDER}/${toHandlerFile({ id })}, which answers that ${id} is not built yet`),
    ...writeTable(writtenIds, writtenIds.length === operations.length),
  ];
}

// Adds handlers to the table. If it is in another file, returns the lines that people must add there.
function writeTable(writtenIds: readonly string[], isFirstRun: boolean): string[] {
  const isModule = isModuleFolder(FOLDER);
  const hasFile = existsSync(TABLE);
  const table = hasFile ? readFileSync(TABLE, 'utf8') : '';
  const listedNames = listHandlers(table) ?? table.split(/[^\p{ID_Continue}$]+/u);
  const missingIds = writtenIds.filter((id) => !listedNames.includes(id));
  if (missingIds.length === 0) return [];
  const paths = missingIds.map((id) => [id, `./${toFileName(id)}${isModule ? '.js' : ''}`] as const);
  const newTable = isModule ? toModule(makeTable(missingIds)) : makeTable(missingIds);
  const extendedTable = !hasFile && isFirstRun ? newTable : addToTable(table, Object.fromEntries(paths));
  if (extendedTable === undefined) {
    const imports = paths.map(([id, path]) => `  import { ${id} } from '${path}';`);
    const place = hasFile ? TABLE : 'the file with the table of handlers';
    return [
      `Add these lines to ${place}, at the top and in the table:`,
      ...imports,
      ...missingIds.map((id) => `    ${id},`),
    ];
  }
  writeInside('', TABLE, extendedTable);
  return [`added ${missingIds.join(', ')} to ${TABLE}`];
}

const DEFAULT_STYLE = { singleQuote: true, printWidth: 120 };

type StubbedOperation = Pick<Operation, 'id' | 'method' | 'path' | 'parameters' | 'querystring' | 'body' | 'security'>;

/** Creates a handler that answers "not built yet". @param file determines Prettier's settings */
export async function createStub(operation: StubbedOperation, file: string): Promise<string> {
  const { id, method, path } = operation;
  const text = [
    `import { notBuilt } from '@contract-kit/server';`,
    `import type { Handler } from '../../generated/handlers';`,
    ``,
    `/** ${method} ${toRequestText(path)}: not built yet. */`,
    // The names are in a comment, because linters reject unused parameters.
    `export const ${id}: Handler<'${id}'> = (/* { ${listNames(operation).join(', ')} }, reply */) => notBuilt('${id}');`,
  ];
  return format(text.join('\n'), { ...DEFAULT_STYLE, ...(await resolveConfig(file)), parser: 'typescript' });
}

const GROUPS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' };

function listNames({ parameters, querystring, body, security }: StubbedOperation): string[] {
  const groups = Object.entries(GROUPS).filter(([name]) => parameters.some(({ location }) => location === name));
  const hasCallers = security.some(({ length }) => length > 0);
  return [
    ...groups.map(([, group]) => group),
    ...(querystring ? ['querystring'] : []),
    ...(body ? ['body'] : []),
    ...(hasCallers ? ['identity'] : []),
    'log',
  ];
}

/** The file of an operation's handler in src/handlers/, such as `list-books.ts`. */
export function toHandlerFile({ id }: Pick<Operation, 'id'>): string {
  return `${toFileName(id)}.ts`;
}
