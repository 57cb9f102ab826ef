// Finds the operations that an error in a contract affects: none, some, or all.
import { pathsOf, toSchemeName, type Document } from './document';
import { operationsOf } from './path-item';
import { fromPointerKey, toPointerKey } from '../text/document-error';
import { isMapByName } from '../1-parse/parse-yaml';
import { isObjectOrArray } from './schema';
import { OPERATION_FIELDS } from './structure';

// No operation depends on these keys at run time.
const DOCUMENTATION = new Set(
  [
    'tags externalDocs example examples description summary title contact license termsOfService xml deprecated',
    'callbacks webhooks links',
  ].flatMap((line) => line.split(' ')),
);

function isDocumentation(key: string): boolean {
  return DOCUMENTATION.has(key) || (key.startsWith('x-') && !Object.hasOwn(OPERATION_FIELDS, key));
}

/** Whether a part of a contract is only documentation, judging by the keys of its JSON pointer. */
export function isDocumented(keys: readonly string[]): boolean {
  let areNames = false;
  return keys.some((key, index) => {
    // A 401 uses the contract's title as its realm.
    if (!areNames && isDocumentation(key) && !(index === 1 && keys[0] === 'info' && key === 'title')) return true;
    areNames = !areNames && isMapByName(key, undefined);
    return false;
  });
}

/** Whether an operation that needs one part also needs another: one contains the other, which is more than documentation. */
function needs(needed: string, pointer: string): boolean {
  if (needed.startsWith(`${pointer}/`)) return true;
  const isInside = `${pointer}/`.startsWith(`${needed}/`);
  return isInside && !isDocumented(toKeys(pointer.slice(needed.length)));
}

function toKeys(pointer: string): string[] {
  return pointer.split('/').slice(1).map(fromPointerKey);
}

/** Returns operations such as `GET /books`, `/books` for a path item whose operations are unknown, and undefined for all operations. */
export type FindUsers = (pointer: string) => readonly string[] | undefined;

/**
 * Creates a function that finds the operations that need a part of a contract. None needs documentation, or a component to
 * which no operation refers.
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
    return keys[0] === 'components' || isDocumented(keys) ? [] : undefined;
  };
}

type PointersByUser = ReadonlyMap<string, ReadonlySet<string>>;

// Lists the pointers to everything that an operation needs: itself, and everything it refers to.
function readOperations(document: Document): { readonly operations: PointersByUser; readonly items: PointersByUser } {
  const operations = new Map<string, ReadonlySet<string>>();
  const items = new Map<string, ReadonlySet<string>>();
  for (const [path, item] of Object.entries(pathsOf(document))) {
    const pointer = `#/paths/${toPointerKey(path)}`;
    const referenced = find(document, item.$ref);
    const target = (referenced ?? {}) as Readonly<Record<string, unknown>>;
    const merged = { ...target, ...item };
    const shared = Object.entries(merged).filter(
      ([key]) => !Object.hasOwn(OPERATION_FIELDS, key) && key !== '$ref' && !isDocumentation(key),
    );
    const owners = [pointer, ...(item.$ref === undefined ? [] : [item.$ref])];
    for (const { name, keys, object } of operationsOf(document, merged)) {
      const neededKeys = [keys.map(toPointerKey).join('/'), ...shared.map(([key]) => key)];
      const pointers = new Set(owners.flatMap((owner) => neededKeys.map((key) => `${owner}/${key}`)));
      addReferences(document, pointers, Object.fromEntries<unknown>([...shared, ['', object]]));
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
    if (!areNames && isDocumentation(key)) continue;
    if (!areNames && key === '$ref') addTarget(document, pointers, child);
    else if (!areNames && key === 'mapping')
      for (const target of Object.values(Object(child) as object)) addMapped(target);
    else if (!areNames && key === 'defaultMapping') addMapped(child);
    else if (isObjectOrArray(child)) addReferences(document, pointers, child, !areNames && isMapByName(key, child));
  }

  function addMapped(target: unknown): void {
    addTarget(document, pointers, String(target).startsWith('#') ? target : `#/components/schemas/${String(target)}`);
  }
}

function addTarget(document: Document, pointers: Set<string>, reference: unknown): void {
  if (typeof reference !== 'string' || pointers.has(reference)) return;
  pointers.add(reference);
  const target = find(document, reference);
  if (!target) return;
  addReferences(document, pointers, target);
  // A reference to a parent with a discriminator also means its children, which have the parent in their allOf.
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
