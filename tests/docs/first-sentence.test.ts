import { globSync, readFileSync } from 'node:fs';
import ts from 'typescript';

/** Whether a file says what it is: in its first line, or right above the first thing that it exports. */
function isIntroduced(text: string): boolean {
  const start = ts.getShebang(text)?.length ?? 0;
  if (ts.getLeadingCommentRanges(text, start)) return true;
  const { statements } = ts.createSourceFile('file.ts', text, ts.ScriptTarget.Latest);
  const first = statements.find((statement) => !ts.isImportDeclaration(statement));
  if (!first || !ts.canHaveModifiers(first)) return false;
  const isExported = ts.getModifiers(first)?.some(({ kind }) => kind === ts.SyntaxKind.ExportKeyword) === true;
  return isExported && ts.getLeadingCommentRanges(text, first.getFullStart()) !== undefined;
}

test('every source file of the packages says first what it is', () => {
  const files = globSync('packages/*/src/**/*.ts', { exclude: ['**/node_modules/**'] });
  expect(files.length).toBeGreaterThan(200);
  expect(files.filter((file) => !isIntroduced(readFileSync(file, 'utf8')))).toEqual([]);
});

test('a file that begins with a constant of its own does not', () => {
  expect(isIntroduced("import 'a';\n\n// Enough.\nconst LIMIT = 3;\n")).toBe(false);
  expect(isIntroduced("import 'a';\n\n/** The limit. */\nexport const LIMIT = 3;\n")).toBe(true);
  expect(isIntroduced("// Limits.\nimport 'a';\n")).toBe(true);
});
