import { existsSync } from 'node:fs';
import { relative } from 'node:path';
import ts from 'typescript';

/** Compiles a project again and again, and each time only what changed. */
export interface Compiler {
  /**
   * Writes JavaScript for what changed since the last time, unless something is wrong anywhere.
   *
   * @returns what is wrong, `file:line:column message` each
   */
  compile(): string[];
}

type Builder = ts.EmitAndSemanticDiagnosticsBuilderProgram;

interface CachedSource {
  readonly text: string | undefined;
  readonly source: ts.SourceFile | undefined;
}

/**
 * @param project the path of a tsconfig.json
 * @param output a file that compiling writes; without it everything is written anew
 */
export function createCompiler(project: string, output: string): Compiler {
  const sources = new Map<string, CachedSource>();
  let builder: Builder | undefined;
  let hadProblems = false;

  function createHost(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createIncrementalCompilerHost(options);
    return {
      ...host,
      // A file that is the same object as last time is neither parsed nor, if nothing it uses changed, checked again.
      getSourceFile(file, ...rest) {
        const text = host.readFile(file);
        const known = sources.get(file);
        if (known !== undefined && known.text === text) return known.source;
        const source = host.getSourceFile(file, ...rest);
        sources.set(file, { text, source });
        return source;
      },
      // What was missing last time may be installed by now.
      hasInvalidatedResolutions: () => hadProblems,
    };
  }

  return {
    compile() {
      const { fileNames, options, errors } = readProject(project);
      const last = existsSync(output) ? builder : undefined;
      builder = ts.createEmitAndSemanticDiagnosticsBuilderProgram(
        fileNames,
        options,
        createHost(options),
        last,
        errors,
      );
      const diagnostics = findProblems(builder);
      hadProblems = diagnostics.length > 0;
      if (!hadProblems) builder.emit();
      return diagnostics.map(toLine);
    },
  };
}

function readProject(project: string): ts.ParsedCommandLine {
  const parsed = ts.getParsedCommandLineOfConfigFile(project, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic(diagnostic) {
      throw new Error(toLine(diagnostic));
    },
  });
  if (!parsed) throw new Error(`${project} cannot be read`);
  return parsed;
}

function findProblems(program: Builder): readonly ts.Diagnostic[] {
  const unreadable = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getSyntacticDiagnostics(),
  ];
  const found =
    unreadable.length > 0 ? unreadable : [...program.getGlobalDiagnostics(), ...program.getSemanticDiagnostics()];
  return ts.sortAndDeduplicateDiagnostics(found);
}

function toLine({ file, start = 0, messageText }: ts.Diagnostic): string {
  const message = ts.flattenDiagnosticMessageText(messageText, '\n');
  if (!file) return message;
  const { line, character } = ts.getLineAndCharacterOfPosition(file, start);
  return `${relative('', file.fileName)}:${String(line + 1)}:${String(character + 1)} ${message}`;
}
