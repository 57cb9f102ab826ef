import ts from 'typescript';
import { toFileName } from '@contract-kit/contract';

/** Creates the text of src/handlers/index.ts for CommonJS. @param hasStore whether the handlers use a store */
export function makeTable(ids: readonly string[], hasStore = false): string {
  const imports = ids.map((id) => `import { ${id} } from './${toFileName(id)}';\n`);
  const table = `{\n${ids.map((id) => `  ${id},\n`).join('')}}`;
  return `import type { Handlers } from '../../generated/handlers';
${hasStore ? `import type { ServiceStore } from '../store';\n` : ''}${imports.join('')}
/** The handlers. This does not compile unless it lists exactly the operations of the contract. */
${hasStore ? `export function createHandlers(store: ServiceStore): Handlers { return ${table}; }` : `export const handlers: Handlers = ${table};`}
`;
}

/**
 * Adds handlers and their imports to the text of src/handlers/index.ts.
 *
 * @param paths the path of each new handler's module, by operationId
 * @returns undefined if the text has no object of the type Handlers
 * @example addToTable(text, { listBooks: './list-books' })
 */
export function addToTable(text: string, paths: Readonly<Record<string, string>>): string | undefined {
  const source = ts.createSourceFile('index.ts', text, ts.ScriptTarget.Latest, true);
  const table = findTable(source);
  if (!table) return undefined;
  const newline = text.includes('\r\n') ? '\r\n' : '\n';
  const lastImport = source.statements.findLast(ts.isImportDeclaration);
  const quote = lastImport?.moduleSpecifier.getText()[0] ?? "'";
  const imports = Object.entries(paths).map(([id, path]) => `import { ${id} } from ${quote}${path}${quote};${newline}`);
  const { properties } = table;
  const [open, close] = [table.getStart(), table.end - 1];
  const needsComma = properties.length > 0 && !properties.hasTrailingComma;
  const isOneLine = !text.slice(open, close).includes('\n');
  const indent = lineUpTo(text, properties.at(-1)?.getStart() ?? close).replace(/\S.*/, '') || '  ';
  const ids = Object.keys(paths);
  const entries = isOneLine ? ` ${ids.join(', ')} ` : ids.map((id) => `${indent}${id},${newline}`).join('');
  // Insert at the start of a line, so that no comment is split.
  const importPosition = lastImport ? text.indexOf('\n', lastImport.end) + 1 : 0;
  const entryPosition = isOneLine ? properties.end : close - lineUpTo(text, close).length;
  return [
    text.slice(0, importPosition),
    ...imports,
    text.slice(importPosition, properties.end),
    needsComma ? ',' : '',
    text.slice(properties.end, entryPosition),
    entries,
    isOneLine ? text.slice(entryPosition).trimStart() : text.slice(entryPosition),
  ].join('');
}

/** Lists the names in the table; undefined if the text has no table. */
export function listHandlers(text: string): string[] | undefined {
  const table = findTable(ts.createSourceFile('index.ts', text, ts.ScriptTarget.Latest, true));
  return table?.properties.map(({ name }) => (name && 'text' in name ? name.text : ''));
}

function lineUpTo(text: string, position: number): string {
  return text.slice(text.lastIndexOf('\n', position - 1) + 1, position);
}

function findTable(node: ts.Node): ts.ObjectLiteralExpression | undefined {
  if (ts.isObjectLiteralExpression(node) && isTable(node)) return node;
  return ts.forEachChild(node, findTable);
}

// A table is `const handlers: Handlers = {}`, `{} satisfies Handlers`, or the result of a function of the type Handlers.
function isTable({ parent: outer }: ts.ObjectLiteralExpression): boolean {
  const parent = ts.isParenthesizedExpression(outer) ? outer.parent : outer;
  const owner: ts.Node | undefined = ts.isReturnStatement(parent) ? ts.findAncestor(parent, ts.isFunctionLike) : parent;
  return owner !== undefined && 'type' in owner && (owner.type as ts.Node | undefined)?.getText() === 'Handlers';
}
