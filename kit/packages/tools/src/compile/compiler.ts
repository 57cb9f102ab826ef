import { existsSync } from 'node:fs';
import { relative, resolve } from 'node:path';
import ts from 'typescript';
import type { Diagnostic } from '../diagnostics/diagnostic';

type Builder = ts.EmitAndSemanticDiagnosticsBuilderProgram;

interface CachedSource {
  readonly text: string | undefined;
  readonly source: ts.SourceFile | undefined;
}

/**
 * Creates a function that compiles the files that have changed since its last call. It writes JavaScript, or returns the errors.
 *
 * @param project a tsconfig.json
 * @param output a file that the compiler writes; if it is missing, all files are written again
 */
export function createCompiler(project: string, output: string): () => Diagnostic[] {
  const cache = new Map<string, CachedSource>();
  let builder: Builder | undefined;
  let hadErrors = false;

  function createHost(options: ts.CompilerOptions): ts.CompilerHost {
    const host = ts.createIncrementalCompilerHost(options);
    return {
      ...host,
      // TypeScript checks a file again only if this returns another object, or an import has changed.
      getSourceFile(file, ...rest) {
        const text = host.readFile(file);
        const cachedSource = cache.get(file);
        if (cachedSource !== undefined && cachedSource.text === text) return cachedSource.source;
        const source = host.getSourceFile(file, ...rest);
        cache.set(file, { text, source });
        return source;
      },
      // After errors, look up each import again, because a missing module may be installed by now.
      hasInvalidatedResolutions: () => hadErrors,
    };
  }

  return () => {
    const { fileNames, options, errors } = readProject(project);
    // A previous builder would not rewrite files that have been deleted.
    const previousBuilder = existsSync(output) ? builder : undefined;
    builder = ts.createEmitAndSemanticDiagnosticsBuilderProgram(
      fileNames,
      options,
      createHost(options),
      previousBuilder,
      errors,
    );
    const diagnostics = findDiagnostics(builder);
    hadErrors = diagnostics.length > 0;
    if (!hadErrors) builder.emit();
    return diagnostics.map(toDiagnostic);
  };
}

function readProject(project: string): ts.ParsedCommandLine {
  const parsed = ts.getParsedCommandLineOfConfigFile(project, undefined, {
    ...ts.sys,
    onUnRecoverableConfigFileDiagnostic(diagnostic) {
      throw new Error(toDiagnostic(diagnostic).message);
    },
  });
  if (!parsed) throw new Error(`${project} cannot be read`);
  return parsed;
}

// After syntax errors, many type errors would only be consequences.
function findDiagnostics(program: Builder): readonly ts.Diagnostic[] {
  const earlyErrors = [
    ...program.getConfigFileParsingDiagnostics(),
    ...program.getOptionsDiagnostics(),
    ...program.getSyntacticDiagnostics(),
  ];
  const diagnostics =
    earlyErrors.length > 0 ? earlyErrors : [...program.getGlobalDiagnostics(), ...program.getSemanticDiagnostics()];
  return ts.sortAndDeduplicateDiagnostics(diagnostics);
}

// TypeScript counts lines and characters from 0. An error without a file is about the compiler's options.
function toDiagnostic({ file, start = 0, messageText }: ts.Diagnostic): Diagnostic {
  return {
    message: ts.flattenDiagnosticMessageText(messageText, '\n'),
    locate: () => {
      if (!file) return { file: 'tsconfig.json', line: 1, column: 1 };
      const { line, character } = ts.getLineAndCharacterOfPosition(file, start);
      return { file: relative('', file.fileName), line: line + 1, column: character + 1 };
    },
  };
}

/** Finds the type errors that a project would have if some files had other content. Writes nothing. */
export function findTypeErrors(project: string, replacements: Readonly<Record<string, string>>): Diagnostic[] {
  const { fileNames, options, errors } = readProject(project);
  const textByPath = new Map(Object.entries(replacements).map(([file, text]) => [resolve(file), text]));
  const host = ts.createCompilerHost(options);
  host.fileExists = (file) => textByPath.has(resolve(file)) || ts.sys.fileExists(file);
  host.readFile = (file) => textByPath.get(resolve(file)) ?? ts.sys.readFile(file);
  const program = ts.createProgram({
    rootNames: fileNames,
    options: { ...options, noEmit: true },
    host,
    configFileParsingDiagnostics: errors,
  });
  return ts.sortAndDeduplicateDiagnostics(ts.getPreEmitDiagnostics(program)).map(toDiagnostic);
}
