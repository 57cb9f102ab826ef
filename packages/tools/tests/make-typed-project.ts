import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import ts from 'typescript';
import { generate } from '../src/generate/generate';

const OPTIONS: ts.CompilerOptions = {
  ...{ strict: true, exactOptionalPropertyTypes: true, noEmit: true, skipLibCheck: true, types: ['node'] },
  ...{ module: ts.ModuleKind.NodeNext, moduleResolution: ts.ModuleResolutionKind.NodeNext },
  target: ts.ScriptTarget.ESNext,
};

/** A project of a contract, as an editor has it open. */
export interface TypedProject {
  /** What the compiler says of a file. */
  readonly mistakesOf: (name: string) => { readonly line: number; readonly message: string }[];
  /** What an editor shows at the first place of a text in a file, as one line. */
  readonly hoverAt: (name: string, text: string) => string;
}

/** @param sources by their names */
export async function makeTypedProject(
  folder: string,
  contract: string,
  sources: readonly (readonly [string, string])[],
): Promise<TypedProject> {
  mkdirSync(join(folder, 'generated'));
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  for (const [name, text] of Object.entries(await generate(contract, 'openapi.yaml')))
    writeFileSync(join(folder, 'generated', name), text);
  for (const [name, text] of sources) writeFileSync(join(folder, name), text);
  const service = ts.createLanguageService({
    ...ts.sys,
    useCaseSensitiveFileNames: () => true,
    getCompilationSettings: () => OPTIONS,
    getScriptFileNames: () => sources.map(([name]) => join(folder, name)),
    getScriptVersion: () => '1',
    getScriptSnapshot: (file) => {
      const text = ts.sys.readFile(file);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => folder,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
  });
  return {
    mistakesOf: (name) => {
      const file = join(folder, name);
      const found = [...service.getSyntacticDiagnostics(file), ...service.getSemanticDiagnostics(file)];
      return found.map(({ messageText, file: source, start = 0 }) => ({
        line: (source?.getLineAndCharacterOfPosition(start).line ?? 0) + 1,
        message: ts.flattenDiagnosticMessageText(messageText, '\n'),
      }));
    },
    hoverAt: (name, text) => {
      const file = join(folder, name);
      const position = String(ts.sys.readFile(file)).indexOf(text);
      const { displayParts } = service.getQuickInfoAtPosition(file, position) ?? {};
      return ts.displayPartsToString(displayParts).replaceAll(/\s+/g, ' ');
    },
  };
}
