// Makes one document of a contract in several files.
import { resolve } from 'node:path';
import { bundle, createConfig, Source } from '@redocly/openapi-core';
import { DUMP_SCHEMA, dump, intCoreTag } from 'js-yaml';
import { ContractError } from '@contract-kit/server/contract';
import { pointerTo, splitPointer, toLines } from '../diagnostics/finding';
import { readContractFiles, type ContractFile, type ContractFiles, type Origin } from './contract-files';
import { FilesResolver, locateProblem } from './files-resolver';
import { nameComponents, type Components } from './name-components';

/** Where a project has a contract of several files, as one. */
export const BUNDLE = 'generated/openapi.yaml';

/** A contract as one document. */
export interface Bundle {
  /** Its text: of a contract that is one file, that file as it is. */
  readonly source: string;
  /** The path of the contract. */
  readonly file: string;
  /** All files that it is made of, by absolute path. */
  readonly files: ContractFiles['files'];
  /** Finds where a part of the document is written, by its JSON pointer. */
  readonly trace: (pointer: string) => Origin;
}

const HEADER = '# Made from openapi.yaml and the files that it refers to by `npm run generate`. Do not edit.\n';

// A bigint is an integer that a double cannot hold: write all its digits.
const YAML_WITH_BIGINTS = DUMP_SCHEMA.withTags({
  ...intCoreTag,
  identify: (value) => typeof value === 'bigint' || intCoreTag.identify(value),
  represent: String,
});

// The bundle then consists of the objects of the parsed files, by which `findOrigin` finds the files.
class ParsedFilesResolver extends FilesResolver {
  override parseDocument(source: Source): { source: Source; parsed: unknown } {
    return { source, parsed: this.files.get(source.absoluteRef)?.parsed };
  }
}

/**
 * Makes one document of a contract and the files that it refers to. A part of another file becomes a component, or
 * replaces the reference to it where it cannot be one, such as a path item in OpenAPI 3.0.
 *
 * @throws ContractError with all references that lead nowhere, one line each
 */
export async function bundleContract(source: string, file: string): Promise<Bundle> {
  const { root, files, mistakes } = readContractFiles(source, file);
  if (mistakes.length > 0) throw new ContractError(toLines(mistakes).join('\n'));
  if (files.size === 1) return { source, file, files, trace: (pointer) => ({ file: root, pointer }) };
  // By object: the bundle will consist of the same objects.
  const origins = findOrigins(files);
  const document = root.parsed as { components?: Components };
  // Read before `bundle` adds the components of the other files to the same object, under names of its own.
  const ownNames = new Map(
    Object.entries(document.components ?? {}).map(([kind, group]) => [kind, new Set(Object.keys(group))]),
  );
  // Changes `document` itself: it becomes the bundle.
  const { problems } = await bundle({
    doc: { source: new Source(resolve(file), source), parsed: document },
    config: await createConfig({ resolve: { doNotResolveExamples: true } }),
    externalRefResolver: new ParsedFilesResolver(files),
  });
  const errors = problems.filter(({ severity }) => severity === 'error');
  if (errors.length > 0) {
    const findings = errors.map((error) => ({
      message: error.message,
      locate: () => locateProblem(error, files, file),
    }));
    throw new ContractError(toLines(findings).join('\n'));
  }
  nameComponents(document, ownNames, (node) => origins.get(node));
  const text = HEADER + dump(document, { schema: YAML_WITH_BIGINTS, lineWidth: 120 });
  return { source: text, file, files, trace: (pointer) => findOrigin(document, root, origins, pointer) };
}

// The file that each object of the parsed files is written in, and its JSON pointer there.
function findOrigins(files: ContractFiles['files']): ReadonlyMap<unknown, Origin> {
  const origins = new Map<unknown, Origin>();
  for (const file of files.values()) addOrigins(file, file.parsed, '#');
  return origins;

  // YAML aliases make one object appear twice: its first pointer stays.
  function addOrigins(file: ContractFile, node: unknown, pointer: string): void {
    if (typeof node !== 'object' || node === null || origins.has(node)) return;
    origins.set(node, { file, pointer });
    for (const [key, child] of Object.entries(node)) addOrigins(file, child, pointerTo(pointer, key));
  }
}

// Each object on the way that comes from a file sets the file and pointer; keys below the last one, such as that of a
// string, are appended to its pointer.
function findOrigin(
  document: unknown,
  root: ContractFile,
  origins: ReadonlyMap<unknown, Origin>,
  pointer: string,
): Origin {
  let node = document;
  let origin: Origin = { file: root, pointer: '#' };
  for (const key of splitPointer(pointer)) {
    node = (node as Readonly<Record<string, unknown>> | undefined)?.[key];
    origin = origins.get(node) ?? { file: origin.file, pointer: pointerTo(origin.pointer, key) };
  }
  return origin;
}
