// Bundles a contract in several files into one document.
import { resolve } from 'node:path';
import { bundle, createConfig, Source } from '@redocly/openapi-core';
import { DUMP_SCHEMA, dump, intCoreTag } from 'js-yaml';
import {
  ContractError,
  operationsOf,
  parsePart,
  pathsOf,
  resolvePathItem,
  type Document,
} from '@contract-kit/contract';
import { isObject, pointerTo, splitPointer, toLines } from '../diagnostics/diagnostic';
import {
  readContractFiles,
  type ContractFile,
  type ContractFiles,
  type Origin,
  FilesResolver,
  describeProblem,
  toPlace,
  isRemoteProblem,
  replaceChained,
} from './contract-files';

/** The path of a project's bundled contract, if the contract has several files. */
export const BUNDLE = 'generated/openapi.yaml';

/** A contract as one document. */
export interface Bundle {
  /** Its text. If the contract is a single file, this is that file unchanged. */
  readonly source: string;
  /** The path of the contract. */
  readonly file: string;
  /** All files of the contract, by absolute path. */
  readonly files: ContractFiles['files'];
  /** The remote references, which stay in the document unchanged. */
  readonly remote: ContractFiles['remote'];
  /** Finds the file that has a part of the document, by the JSON pointer of the part. */
  readonly trace: (pointer: string) => Origin;
}

const HEADER = '# Generated from openapi.yaml and the files that it refers to by `npm run generate`. Do not edit.\n';

/** The text of a bundle that people continue to edit. */
export function withoutHeader(source: string): string {
  return source.replace(HEADER, '');
}

// A bigint is an integer that a double cannot hold, so all its digits are written.
const YAML_WITH_BIGINTS = DUMP_SCHEMA.withTags({
  ...intCoreTag,
  identify: (value) => typeof value === 'bigint' || intCoreTag.identify(value),
  represent: String,
});

/**
 * Removes operations from a contract, and lists them in `x-not-served`.
 *
 * @param names such as `GET /books`, or `/books` for a path item whose operations are unknown
 */
export function withoutOperations(source: string, names: readonly string[]): string {
  const document = parsePart(source, BUNDLE) as Document;
  const items = Object.entries(pathsOf(document)).flatMap(([path, node]) => {
    if (names.includes(path)) return [];
    const item = resolvePathItem(document, node);
    const operations = operationsOf(document, item);
    const left = operations.filter(({ name }) => names.includes(`${name} ${path}`));
    if (left.length === 0) return [[path, node]];
    // The error may be in what all of them share.
    if (left.length === operations.length) return [];
    return [[path, left.reduce((rest, { keys }) => withoutMember(rest, keys), item)]];
  });
  const servedDocument = { ...document, paths: Object.fromEntries(items) as object, 'x-not-served': names };
  return HEADER + dump(servedDocument, { schema: YAML_WITH_BIGINTS, lineWidth: 120 });
}

function withoutMember(object: object, [key, ...below]: readonly string[]): object {
  const entries = Object.entries(object) as [string, object][];
  const kept = entries.filter(([name]) => name !== key || below.length > 0);
  return Object.fromEntries(kept.map(([name, value]) => [name, name === key ? withoutMember(value, below) : value]));
}

const NOT_OPENAPI =
  'the field openapi must be a string such as 3.1.0; convert a document that is not OpenAPI 3.0, 3.1 or 3.2';

/**
 * Bundles a contract and the files that it refers to into one document. A part of another file becomes a component, or
 * replaces the reference if it cannot be a component, such as a path item in OpenAPI 3.0.
 *
 * @param folder the folder that must contain all files; by default the folder of the contract
 * @throws ContractError when it is not OpenAPI, or with all references that lead nowhere, one line each
 */
export async function bundleContract(source: string, file: string, folder?: string): Promise<Bundle> {
  const { root, files, errors, remote } = readContractFiles(source, file, folder);
  const { openapi } = Object(root.parsed) as Partial<Document>;
  if (typeof openapi !== 'string' || !/^3\.[012](?:\.|$)/.test(openapi))
    throw new ContractError(`${file}:1:1 ${NOT_OPENAPI}`);
  if (errors.length > 0) throw new ContractError(toLines(errors).join('\n'));
  if (files.size === 1) return { source, file, files, remote, trace: (pointer) => ({ file: root, pointer }) };
  replaceChained({ files, remote });
  // The bundle consists of the same objects as the files, so origins are found by object.
  const origins = findOrigins(files);
  const document = root.parsed as { components?: Components };
  // Read before `bundle` adds components from other files to the same object, under names that it chooses.
  const originalNames = new Map(
    Object.entries(document.components ?? {}).map(([kind, group]) => [kind, new Set(Object.keys(group))]),
  );
  const restorePrototypes = removePrototypes((document.components ??= {}));
  // This changes `document` itself, which becomes the bundle.
  const { problems } = await bundle({
    doc: { source: new Source(resolve(file), source), parsed: document },
    config: await createConfig({ resolve: { doNotResolveExamples: true } }),
    externalRefResolver: new FilesResolver(files),
  });
  const failures = problems.flatMap((problem) => {
    const [place] = problem.location;
    const origin = files.get(String(place?.source.absoluteRef)) ?? root;
    if (problem.severity !== 'error' || isRemoteProblem(problem, origin.parsed)) return [];
    const message = describeProblem(problem, origin.parsed) || problem.message;
    return [{ message, locate: () => toPlace(origin, place?.pointer ?? '#', place?.reportOnKey) }];
  });
  if (failures.length > 0) throw new ContractError(toLines(failures).join('\n'));
  restorePrototypes();
  nameComponents(document, originalNames);
  const text = HEADER + dump(document, { schema: YAML_WITH_BIGINTS, lineWidth: 120 });
  return { source: text, file, files, remote, trace: (pointer) => findOrigin(document, root, origins, pointer) };
}

// Maps each object in the parsed files to its file and its JSON pointer there.
function findOrigins(files: ContractFiles['files']): ReadonlyMap<unknown, Origin> {
  const origins = new Map<unknown, Origin>();
  for (const file of files.values()) addOrigins(file, file.parsed, '#');
  return origins;

  // YAML aliases make one object appear twice; its first pointer is kept.
  function addOrigins(file: ContractFile, node: unknown, pointer: string): void {
    if (typeof node !== 'object' || node === null || origins.has(node)) return;
    origins.set(node, { file, pointer });
    for (const [key, child] of Object.entries(node)) addOrigins(file, child, pointerTo(pointer, key));
  }
}

// Each object on the path that comes from a file sets the file and the pointer; keys below the last such object are
// appended to its pointer.
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

/** The components by kind, such as schemas, and by name. */
type Components = Record<string, Record<string, unknown>>;

// The kinds of components that Redocly adds parts of other files to.
const KINDS = 'schemas parameters responses examples requestBodies headers securitySchemes links callbacks'.split(' ');

/**
 * Makes the groups of components inherit no names, since Redocly looks up in them which names are taken. Returns a function
 * that makes them ordinary objects again.
 */
function removePrototypes(components: Components): () => void {
  const listGroups = (): unknown[] => Object.values(components).filter(isObject);
  for (const group of listGroups()) Object.setPrototypeOf(group, null);
  Object.setPrototypeOf(components, Object.fromEntries(KINDS.map((kind) => [kind, Object.create(null) as object])));
  return () => {
    for (const object of [components, ...listGroups()]) Object.setPrototypeOf(object, Object.prototype);
  };
}

/**
 * Renames components that Redocly added, so that OpenAPI allows their names (Components Object). Redocly names a part of
 * another file after its key or its file, and adds a number if the name is taken. `originalNames`, which the contract itself
 * uses, are kept.
 */
function nameComponents(
  document: { components?: Components },
  originalNames: ReadonlyMap<string, ReadonlySet<string>>,
): void {
  const newPointers = new Map<string, string>();
  for (const [kind, group] of Object.entries(document.components ?? {})) {
    for (const [old, node] of Object.entries(group)) {
      let name = originalNames.get(kind)?.has(old) === true ? old : old.replace(/[^A-Za-z0-9._-]+/g, '_');
      if (name === old) continue;
      while (Object.hasOwn(group, name)) name += '_';
      group[name] = node;
      Reflect.deleteProperty(group, old);
      newPointers.set(`#/components/${kind}/${old}`, `#/components/${kind}/${name}`);
    }
  }
  replaceReferences(document, newPointers, new Set());
}

// Replaces references in `$ref` and in discriminator mappings. `seen` has the visited nodes, which may be recursive.
function replaceReferences(node: unknown, newPointers: ReadonlyMap<string, string>, seen: Set<unknown>): void {
  if (typeof node !== 'object' || node === null || seen.has(node)) return;
  seen.add(node);
  const members = node as Record<string, unknown>;
  for (const [key, value] of Object.entries(members)) {
    const newPointer = typeof value === 'string' ? newPointers.get(value) : undefined;
    if (newPointer !== undefined) members[key] = newPointer;
    else replaceReferences(value, newPointers, seen);
  }
}
