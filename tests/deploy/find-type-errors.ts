import { resolve } from 'node:path';
import ts from 'typescript';

const FILE = resolve('tests/deploy/manifest.ts');
const OPTIONS: ts.CompilerOptions = {
  strict: true,
  noEmit: true,
  skipLibCheck: true,
  types: [],
  target: ts.ScriptTarget.ES2023,
  module: ts.ModuleKind.Node20,
};

/** What TypeScript says to documents as literals of the types that modules export under their last name and an I. */
export function findTypeErrors(documents: readonly object[], modules: readonly string[]): string[] {
  const lines = documents.flatMap((document, index) => {
    const type = `I${String(modules[index]?.split('/').at(-1))}`;
    return [
      `import type { ${type} } from '${String(modules[index])}';`,
      `export const d${String(index)}: ${type} = ${JSON.stringify(document)};`,
    ];
  });
  const host = ts.createCompilerHost(OPTIONS);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (name, ...rest) =>
    resolve(name) === FILE ? ts.createSourceFile(name, lines.join('\n'), rest[0], true) : getSourceFile(name, ...rest);
  const program = ts.createProgram([FILE], OPTIONS, host);
  return ts.getPreEmitDiagnostics(program).map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, '\n'));
}
