import ts from 'typescript';
import { mkdtempSync, rmSync, symlinkSync, mkdirSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { spawnSync } from 'node:child_process';
import { writeContract, writeFiles } from '../src/new/create-project';
import { makeProjectFiles, type ProjectForm } from '../src/new/project-files';
import { FROM_SOURCE } from '@contract-kit/test-support/run-as-others';
import { generate } from '../src/generate/generate';

/** Runs a script to its end; the output is what it writes, errors last. */
export function runNode(cwd: string, ...args: string[]): { status: number | null; output: string } {
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { cwd, encoding: 'utf8' });
  return { status, output: stdout + stderr };
}

/** The arguments of Node for the command `contract-kit`, as it is written, in any folder. */
export const CONTRACT_KIT = [...FROM_SOURCE, resolve('packages/tools/src/cli.ts')];

const RELEASED = 'packages/test-support/plants/openapi.yaml';
const HANDLER = `import type { Handler } from '../../generated/handlers';

export const createPlant: Handler<'createPlant'> = ({ body: { name, tag } }, reply) => {
  const plant = { name, ...(tag !== undefined && { tag }) };
  return reply(200, plant);
};
`;

/**
 * A new project in a folder of its own that may be changed, with the packages as they are built here.
 *
 * @param file its contract; a released one, which stays as it is, has a handler that keeps nothing
 */
export async function makeProject(
  file = RELEASED,
  form: ProjectForm = { isModule: false, hasStore: false },
): Promise<Disposable & { readonly folder: string }> {
  const folder = mkdtempSync(join(tmpdir(), 'project-'));
  const contract = await writeContract(folder, file, form.isModule);
  writeFiles(folder, await makeProjectFiles('project', contract, { packages: [], changelog: '', modules: '' }, form));
  if (file === RELEASED) writeFiles(folder, { 'src/handlers/create-plant.ts': HANDLER });
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'));
  return {
    folder,
    [Symbol.dispose]() {
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

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
