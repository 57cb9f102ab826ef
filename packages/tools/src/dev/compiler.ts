import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import ts from 'typescript';
import type { Finding } from '../generate/finding';

/** Compiles a project again and again, and each time only what changed. */
export interface Compiler {
  /**
   * Writes JavaScript for what changed since the last time, unless something is wrong anywhere.
   *
   * @returns what is wrong
   */
  compile(): Finding[];
}

type Builder = ts.EmitAndSemanticDiagnosticsBuilderProgram;

interface CachedSource {
  readonly text: string | undefined;
  readonly source: ts.SourceFile | undefined;
}

/**
 * Creates a compiler that keeps in memory what it knows of a project.
 *
 * @param project the path of a tsconfig.json
 * @param output a file that the compiler writes; if it is missing, all files are written again
 */
export function createCompiler(project: string, output: string): Compiler {
  const sources = new Map<string, CachedSource>();
  let builder: Builder | undefined;
  let hadProblems = false;

  function createHost(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createIncrementalCompilerHost(options);
    return {
      ...host,
      // TypeScript does not check the same object again, unless something that it imports changed.
      getSourceFile(file, ...rest) {
        const text = host.readFile(file);
        const known = sources.get(file);
        if (known !== undefined && known.text === text) return known.source;
        const source = host.getSourceFile(file, ...rest);
        sources.set(file, { text, source });
        return source;
      },
      // A module that was missing may be installed by now.
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
      return diagnostics.map(toFinding);
    },
  };
}

function readProject(project: string): ts.ParsedCommandLine {
  const parsed = ts.getParsedCommandLineOfConfigFile(project, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic(diagnostic) {
      throw new Error(toFinding(diagnostic).message);
    },
  });
  if (!parsed) throw new Error(`${project} cannot be read`);
  return parsed;
}

function findProblems(program: Builder): readonly ts.Diagnostic[] {
  // Code that cannot be parsed would have many more errors.
  const unreadable = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getSyntacticDiagnostics(),
  ];
  const found =
    unreadable.length > 0 ? unreadable : [...program.getGlobalDiagnostics(), ...program.getSemanticDiagnostics()];
  return ts.sortAndDeduplicateDiagnostics(found);
}

function toFinding({ file, start = 0, messageText }: ts.Diagnostic): Finding {
  return {
    message: ts.flattenDiagnosticMessageText(messageText, '\n'),
    locate: () => {
      if (!file) return { file: 'tsconfig.json', line: 1, column: 1 };
      const { line, character } = ts.getLineAndCharacterOfPosition(file, start);
      return { file: relative('', file.fileName), line: line + 1, column: character + 1 };
    },
  };
}

/**
 * Finds the type errors of a project, as if some of its files had another text. Writes nothing.
 *
 * @param project the path of a tsconfig.json
 * @param texts the other texts, by the path of the file
 */
export function findTypeMistakes(project: string, texts: Readonly<Record<string, string>>): Finding[] {
  const { fileNames, options, errors } = readProject(project);
  const replaced = new Map(Object.entries(texts).map(([file, text]) => [resolve(file), text]));
  const host = ts.createCompilerHost(options);
  host.fileExists = (file) => replaced.has(resolve(file)) || ts.sys.fileExists(file);
  host.readFile = (file) => replaced.get(resolve(file)) ?? ts.sys.readFile(file);
  const program = ts.createProgram({
    rootNames: fileNames,
    options: { ...options, noEmit: true },
    host,
    configFileParsingDiagnostics: errors,
  });
  return ts.sortAndDeduplicateDiagnostics(ts.getPreEmitDiagnostics(program)).map(toFinding);
}
