import { join } from 'node:path';
import ts from 'typescript';

// What all projects have in common is parsed once.
const sources = new Map<string, ts.SourceFile | undefined>();

/**
 * Compiles a project as its src/tsconfig.json says, in this process.
 *
 * @returns what is wrong, a text for each
 */
export function compileProject(folder: string): string[] {
  const parsed = ts.getParsedCommandLineOfConfigFile(join(folder, 'src/tsconfig.json'), undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic: () => undefined,
  });
  if (!parsed) throw new Error(`${folder} has no src/tsconfig.json`);
  const host = ts.createCompilerHost(parsed.options);
  const getSourceFile = host.getSourceFile.bind(host);
  host.getSourceFile = (file, ...rest) => {
    if (file.startsWith(folder)) return getSourceFile(file, ...rest);
    if (!sources.has(file)) sources.set(file, getSourceFile(file, ...rest));
    return sources.get(file);
  };
  const program = ts.createProgram(parsed.fileNames, { ...parsed.options, noEmit: true }, host);
  return ts.getPreEmitDiagnostics(program).map(({ file, messageText }) => {
    const name = file?.fileName.slice(folder.length + 1) ?? '';
    return `${name} ${ts.flattenDiagnosticMessageText(messageText, '\n').split('\n', 1).join('')}`;
  });
}
