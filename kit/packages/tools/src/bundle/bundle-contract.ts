import { basename, extname, resolve } from 'node:path';
import { DUMP_SCHEMA, dump, intCoreTag } from 'js-yaml';
import {
  ContractError,
  findReferences,
  operationsOf,
  parsePart,
  pathsOf,
  resolvePathItem,
  setMember,
  whyUnfollowed,
  type Document,
} from '@contract-kit/contract';
import { DiagnosticsError, isObject, pointerTo, splitPointer } from '../diagnostics/diagnostic';
import {
  readContractFiles,
  type ContractFile,
  type ContractFiles,
  findTarget,
  followReferences,
  memberAt,
  type Origin,
  type Target,
} from './contract-files';

/** The path of a project's bundled contract, if the contract consists of several files. */
export const BUNDLE = 'generated/openapi.yaml';

/** A contract as one document. */
export interface Bundle {
  /** The text of the document. A contract in a single file is unchanged. */
  readonly source: string;
  readonly file: string;
  readonly files: ContractFiles['files'];
  /** References that are never followed, so they stay in the document. */
  readonly unfollowed: ContractFiles['unfollowed'];
  /** Finds where the part at a JSON pointer in the document comes from. */
  readonly trace: (pointer: string) => Origin;
}

const HEADER = '# Generated from openapi.yaml and the files that it refers to by `npm run generate`. Do not edit.\n';

/** Removes the note "Do not edit" from a bundle. */
export function removeHeader(source: string): string {
  return source.replace(HEADER, '');
}

const YAML_WITH_BIGINTS = DUMP_SCHEMA.withTags({
  ...intCoreTag,
  identify: (value) => typeof value === 'bigint' || intCoreTag.identify(value),
  represent: String,
});

/**
 * Removes operations from a contract, and lists them in `x-not-served`.
 *
 * @param names the operations, such as `GET /books`, or `/books` for a path item whose operations are unknown
 */
export function removeOperations(source: string, names: readonly string[]): string {
  const document = parsePart(source, BUNDLE) as Document;
  const items = Object.entries(pathsOf(document)).flatMap(([path, node]) => {
    if (names.includes(path)) return [];
    const item = resolvePathItem(document, node);
    const operations = operationsOf(document, item);
    const removedOperations = operations.filter(({ name }) => names.includes(`${name} ${path}`));
    if (removedOperations.length === 0) return [[path, node]];
    // The error may be in a part that all operations of the path share.
    if (removedOperations.length === operations.length) return [];
    return [[path, removedOperations.reduce((rest, { keys }) => removeMember(rest, keys), item)]];
  });
  const servedDocument = { ...document, paths: Object.fromEntries(items) as object, 'x-not-served': names };
  return HEADER + dump(servedDocument, { schema: YAML_WITH_BIGINTS, lineWidth: 120 });
}

function removeMember(object: object, [key, ...below]: readonly string[]): object {
  const entries = Object.entries(object) as [string, object][];
  const members = entries.filter(([name]) => name !== key || below.length > 0);
  return Object.fromEntries(members.map(([name, value]) => [name, name === key ? removeMember(value, below) : value]));
}

const NOT_OPENAPI =
  'the field openapi must be a string such as 3.1.0; convert a document that is not OpenAPI 3.0, 3.1 or 3.2';

/**
 * Bundles a contract and the files that it refers to into one document. Parts of other files become components. A part that cannot
 * be a component, such as a path item in OpenAPI 3.0, replaces its reference.
 *
 * @param folder the folder that must contain all files; by default the contract's own folder
 * @throws ContractError if the text is not OpenAPI, or references are dangling
 */
export function bundleContract(source: string, file: string, folder?: string): Bundle {
  const { root, files, errors, unfollowed } = readContractFiles(source, file, folder);
  const { openapi } = Object(root.parsed) as Partial<Document>;
  if (typeof openapi !== 'string' || !/^3\.[012](?:\.|$)/.test(openapi))
    throw new ContractError(`${file}:1:1 ${NOT_OPENAPI}`);
  if (errors.length > 0) throw new DiagnosticsError(errors);
  if (files.size === 1) return { source, file, files, unfollowed, trace: (pointer) => ({ file: root, pointer }) };
  // moveParts reuses the objects from the files, so their origins must be recorded first.
  const origins = findOrigins(files);
  moveParts(root.parsed as Members, resolve(file), files);
  const text = HEADER + dump(root.parsed, { schema: YAML_WITH_BIGINTS, lineWidth: 120 });
  return { source: text, file, files, unfollowed, trace: (pointer) => findOrigin(root.parsed, root, origins, pointer) };
}

function findOrigins(files: ContractFiles['files']): ReadonlyMap<unknown, Origin> {
  const origins = new Map<unknown, Origin>();
  for (const file of files.values()) addOrigins(file, file.parsed, '#');
  return origins;

  // Because of YAML aliases, an object may appear twice. Its first occurrence counts.
  function addOrigins(file: ContractFile, node: unknown, pointer: string): void {
    if (typeof node !== 'object' || node === null || origins.has(node)) return;
    origins.set(node, { file, pointer });
    for (const [key, child] of Object.entries(node)) addOrigins(file, child, pointerTo(pointer, key));
  }
}

// If an object does not come from a file, its keys are appended to the pointer of the object around it.
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

type Members = Record<string, unknown>;

/** Moves referenced parts of other files into the document at `rootPath`. */
function moveParts(document: Members, rootPath: string, files: ContractFiles['files']): void {
  const version = String(document['openapi']);
  const inlinedKinds = ['extensions', ...(version.startsWith('3.0') ? ['pathItems'] : [])];
  if (!version.startsWith('3.2')) inlinedKinds.push('mediaTypes');
  const pointers = new Map<string, string>();
  const visitedOwners = new Set<unknown>();
  replaceReferences(rootPath, document, '');

  function replaceReferences(path: string, part: unknown, kind: string): void {
    const references = [...findReferences(part)]
      .map((match) => ({ ...match, owner: memberAt(part, match.keys.slice(0, -1)) as Members }))
      .filter(({ owner }) => !visitedOwners.has(owner));
    for (const { owner } of references) visitedOwners.add(owner);
    for (const { reference, keys, isOutside, owner } of references) {
      const isName = !isOutside && !reference.startsWith('#');
      if (isName || whyUnfollowed(reference) !== undefined) continue;
      const key = String(keys.at(-1));
      const target = findTarget(files, path, reference);
      const targetKind = kindAt(kind, keys.slice(0, -1));
      if (target.path === rootPath) setMember(owner, key, target.fragment);
      else if (key === 'externalValue') {
        Reflect.deleteProperty(owner, key);
        owner['value'] = target.node;
      } else if (keys.length > 1 && inlinedKinds.includes(targetKind)) {
        const { path: endPath, node } = followReferences(files, target);
        const { $ref: _, ...siblings } = owner;
        const isAlone = Object.keys(siblings).length === 0;
        const holder = memberAt(part, keys.slice(0, -2)) as Members;
        setMember(holder, String(keys.at(-2)), isAlone ? node : { ...(node as Members), ...siblings });
        replaceReferences(endPath, node, targetKind);
      } else setMember(owner, key, toComponent(target, targetKind));
    }
  }

  /** Adds a part to the components, named after its key or its file. Returns a reference to it. */
  function toComponent({ path, fragment, node }: Target, kind: string): string {
    const existingPointer = pointers.get(`${kind} ${path}${fragment}`);
    if (existingPointer !== undefined) return existingPointer;
    const group = membersOf(membersOf(document, 'components'), kind);
    const key = splitPointer(fragment).at(-1) ?? basename(path, extname(path));
    const baseName = key.replace(/[^A-Za-z0-9._-]+/g, '_');
    let name = baseName;
    for (let number = 2; Object.hasOwn(group, name); number += 1) name = `${baseName}-${String(number)}`;
    setMember(group, name, node);
    const pointer = `#/components/${kind}/${name}`;
    pointers.set(`${kind} ${path}${fragment}`, pointer);
    replaceReferences(path, node, kind);
    return pointer;
  }
}

// Keywords whose values are maps, and the kind of component in each map.
const MAP_KINDS: Readonly<Record<string, string>> = {
  ...{ paths: 'pathItems', webhooks: 'pathItems', content: 'mediaTypes', encoding: '', variables: '' },
  ...Object.fromEntries(
    ['properties', 'patternProperties', 'dependentSchemas', '$defs', 'definitions', 'schemas', 'mapping'].map(
      (keyword) => [keyword, 'schemas'],
    ),
  ),
  ...Object.fromEntries(
    'parameters responses examples requestBodies headers securitySchemes links callbacks pathItems mediaTypes'
      .split(' ')
      .map((keyword) => [keyword, keyword]),
  ),
};

/** Returns the kind of component found under these keys of an object. Any other object counts as a schema. */
function kindAt(kind: string, keys: readonly string[]): string {
  let names: string | undefined;
  return keys.reduce((current, key) => {
    const named = names ?? (current === 'callbacks' ? 'pathItems' : undefined);
    names = undefined;
    if (named !== undefined || current === 'extensions') return named ?? current;
    if (key.startsWith('x-') && !key.startsWith('x-oai-')) return 'extensions';
    if (Object.hasOwn(MAP_KINDS, key)) names = MAP_KINDS[key];
    return key === 'requestBody' ? 'requestBodies' : 'schemas';
  }, kind);
}

function membersOf(owner: Members, key: string): Members {
  if (!isObject(owner[key])) owner[key] = {};
  return owner[key] as Members;
}
