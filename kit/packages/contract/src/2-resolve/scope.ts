// Finds the operations that an error in a contract affects.
import { pathsOf, toSchemeName, type Document } from './document';
import { operationsOf } from './path-item';
import { fromPointerKey, toPointerKey } from '../text/document-error';
import { isMapByName } from '../1-parse/parse-yaml';
import { isObjectOrArray } from './schema';
import { OPERATION_FIELDS } from './structure';

// Keys that no operation depends on at run time.
const DOCUMENTATION_KEYS = new Set(
  [
    'tags externalDocs example examples description summary title contact license termsOfService xml deprecated',
    'callbacks webhooks links',
  ].flatMap((line) => line.split(' ')),
);

function isDocumentationKey(key: string): boolean {
  return DOCUMENTATION_KEYS.has(key) || (key.startsWith('x-') && !Object.hasOwn(OPERATION_FIELDS, key));
}

/** Whether the keys of a JSON pointer lead to a part of the contract that is only documentation. */
export function isDocumentationPath(keys: readonly string[]): boolean {
  let areNames = false;
  return keys.some((key, index) => {
    // The contract's title is not just documentation, because it is the realm of a 401.
    if (!areNames && isDocumentationKey(key) && !(index === 1 && keys[0] === 'info' && key === 'title')) return true;
    areNames = !areNames && isMapByName(key, undefined);
    return false;
  });
}

/** Whether an operation that needs the part at `needed` is affected by an error at `pointer`, inside or around that part. */
function needs(needed: string, pointer: string): boolean {
  if (needed.startsWith(`${pointer}/`)) return true;
  const isInside = `${pointer}/`.startsWith(`${needed}/`);
  return isInside && !isDocumentationPath(toKeys(pointer.slice(needed.length)));
}

function toKeys(pointer: string): string[] {
  return pointer.split('/').slice(1).map(fromPointerKey);
}

/** Returns operations such as `GET /books`, or `/books` if the operations of its path item are unknown; undefined means all. */
export type FindUsers = (pointer: string) => readonly string[] | undefined;

/**
 * Creates a function that finds the operations that need a part of a contract. No operation needs documentation, or a
 * component that is never referenced.
 *
 * @example createFindUsers(document)('#/paths/~1books/get/parameters/0') // ['GET /books']
 */
export function createFindUsers(document: Document): FindUsers {
  let read: ReturnType<typeof readOperations> | undefined;
  return (pointer) => {
    const keys = toKeys(pointer);
    read ??= readOperations(document);
    for (const pointersByUser of [read.operations, read.items]) {
      const users = [...pointersByUser].filter(([, pointers]) =>
        [...pointers].some((needed) => needs(needed, pointer)),
      );
      if (users.length > 0) return users.map(([name]) => name);
    }
    return keys[0] === 'components' || isDocumentationPath(keys) ? [] : undefined;
  };
}

type PointersByUser = ReadonlyMap<string, ReadonlySet<string>>;

// Lists the pointers to everything that each operation needs, including the operation itself.
function readOperations(document: Document): { readonly operations: PointersByUser; readonly items: PointersByUser } {
  const operations = new Map<string, ReadonlySet<string>>();
  const items = new Map<string, ReadonlySet<string>>();
  for (const [path, item] of Object.entries(pathsOf(document))) {
    const pointer = `#/paths/${toPointerKey(path)}`;
    const referencedItem = find(document, item.$ref);
    const target = (referencedItem ?? {}) as Readonly<Record<string, unknown>>;
    const merged = { ...target, ...item };
    const sharedFields = Object.entries(merged).filter(
      ([key]) => !Object.hasOwn(OPERATION_FIELDS, key) && key !== '$ref' && !isDocumentationKey(key),
    );
    const owners = [pointer, ...(item.$ref === undefined ? [] : [item.$ref])];
    for (const { name, keys, object } of operationsOf(document, merged)) {
      const neededKeys = [keys.map(toPointerKey).join('/'), ...sharedFields.map(([key]) => key)];
      const pointers = new Set(owners.flatMap((owner) => neededKeys.map((key) => `${owner}/${key}`)));
      addReferences(document, pointers, Object.fromEntries<unknown>([...sharedFields, ['', object]]));
      const { security = document.security ?? [] } = object as Partial<Pick<Document, 'security'>>;
      for (const scheme of security.flatMap((requirement) => Object.keys(requirement)))
        addTarget(document, pointers, `#/components/securitySchemes/${toPointerKey(toSchemeName(scheme))}`);
      operations.set(`${name} ${path}`, pointers);
    }
    if (!Object.keys(merged).some((key) => key === '$ref' || Object.hasOwn(OPERATION_FIELDS, key))) continue;
    const pointers = new Set(owners);
    addReferences(document, pointers, item);
    items.set(path, pointers);
  }
  return { operations, items };
}

function addReferences(document: Document, pointers: Set<string>, node: object, areNames = false): void {
  for (const [key, child] of Object.entries(node) as [string, unknown][]) {
    if (!areNames && isDocumentationKey(key)) continue;
    if (!areNames && key === '$ref') addTarget(document, pointers, child);
    else if (!areNames && key === 'mapping')
      for (const target of Object.values(Object(child) as object)) addMappingTarget(target);
    else if (!areNames && key === 'defaultMapping') addMappingTarget(child);
    else if (isObjectOrArray(child)) addReferences(document, pointers, child, !areNames && isMapByName(key, child));
  }

  function addMappingTarget(target: unknown): void {
    addTarget(document, pointers, String(target).startsWith('#') ? target : `#/components/schemas/${String(target)}`);
  }
}

function addTarget(document: Document, pointers: Set<string>, reference: unknown): void {
  if (typeof reference !== 'string' || pointers.has(reference)) return;
  pointers.add(reference);
  const target = find(document, reference);
  if (!target) return;
  addReferences(document, pointers, target);
  // A reference to a parent with a discriminator also covers its children, whose allOf refers to the parent.
  if (!('discriminator' in target)) return;
  for (const [name, schema] of Object.entries(Object(document.components?.['schemas']) as object)) {
    const { allOf = [] } = Object(schema) as { readonly allOf?: readonly { readonly $ref?: unknown }[] };
    if (allOf.some(({ $ref }) => $ref === reference))
      addTarget(document, pointers, `#/components/schemas/${toPointerKey(name)}`);
  }
}

function find(document: Document, reference = ''): object | undefined {
  const keys = reference.startsWith('#') ? toKeys(reference) : [];
  const target = keys.reduce<unknown>((node, key) => (Object(node) as Record<string, unknown>)[key], document);
  return keys.length > 0 && isObjectOrArray(target) ? target : undefined;
}
