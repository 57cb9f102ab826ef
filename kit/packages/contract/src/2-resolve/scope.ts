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

/** Whether a part of a contract is only documentation, by the keys of its JSON pointer. */
export function isDocumented(keys: readonly string[]): boolean {
  let areNames = false;
  return keys.some((key, index) => {
    // A 401 names the title of the contract as its realm.
    if (!areNames && isDocumentation(key) && !(index === 1 && keys[0] === 'info' && key === 'title')) return true;
    areNames = !areNames && isMapByName(key, undefined);
    return false;
  });
}

/** Whether the part at `known` needs the part at `pointer`, which contains it, or which is inside of it and not documentation. */
function needs(known: string, pointer: string): boolean {
  if (known.startsWith(`${pointer}/`)) return true;
  const isInside = `${pointer}/`.startsWith(`${known}/`);
  return isInside && !isDocumented(toKeys(pointer.slice(known.length)));
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
      const users = [...pointersByUser].filter(([, known]) => [...known].some((one) => needs(one, pointer)));
      if (users.length > 0) return users.map(([name]) => name);
    }
    return keys[0] === 'components' || isDocumented(keys) ? [] : undefined;
  };
}

type PointersByUser = ReadonlyMap<string, ReadonlySet<string>>;

// Lists the pointers to everything that an operation needs: itself, and all that it refers to.
function readOperations(document: Document): { readonly operations: PointersByUser; readonly items: PointersByUser } {
  const operations = new Map<string, ReadonlySet<string>>();
  const items = new Map<string, ReadonlySet<string>>();
  for (const [path, item] of Object.entries(pathsOf(document))) {
    const pointer = `#/paths/${toPointerKey(path)}`;
    const found = find(document, item.$ref);
    const target = (found ?? {}) as Readonly<Record<string, unknown>>;
    const all = { ...target, ...item };
    const shared = Object.entries(all).filter(
      ([key]) => !Object.hasOwn(OPERATION_FIELDS, key) && key !== '$ref' && !isDocumentation(key),
    );
    const owners = [pointer, ...(item.$ref === undefined ? [] : [item.$ref])];
    for (const { name, keys, object } of operationsOf(document, all)) {
      const needed = [keys.map(toPointerKey).join('/'), ...shared.map(([key]) => key)];
      const known = new Set(owners.flatMap((owner) => needed.map((key) => `${owner}/${key}`)));
      addReferences(document, known, Object.fromEntries<unknown>([...shared, ['', object]]));
      const { security = document.security ?? [] } = object as Partial<Pick<Document, 'security'>>;
      for (const scheme of security.flatMap((one) => Object.keys(one)))
        addTarget(document, known, `#/components/securitySchemes/${toPointerKey(toSchemeName(scheme))}`);
      operations.set(`${name} ${path}`, known);
    }
    if (!Object.keys(all).some((key) => key === '$ref' || Object.hasOwn(OPERATION_FIELDS, key))) continue;
    const known = new Set(owners);
    addReferences(document, known, item);
    items.set(path, known);
  }
  return { operations, items };
}

function addReferences(document: Document, known: Set<string>, node: object, areNames = false): void {
  for (const [key, child] of Object.entries(node) as [string, unknown][]) {
    if (!areNames && isDocumentation(key)) continue;
    if (!areNames && key === '$ref') addTarget(document, known, child);
    else if (!areNames && key === 'mapping')
      for (const target of Object.values(Object(child) as object)) addMapped(target);
    else if (!areNames && key === 'defaultMapping') addMapped(child);
    else if (isObjectOrArray(child)) addReferences(document, known, child, !areNames && isMapByName(key, child));
  }

  function addMapped(target: unknown): void {
    addTarget(document, known, String(target).startsWith('#') ? target : `#/components/schemas/${String(target)}`);
  }
}

function addTarget(document: Document, known: Set<string>, reference: unknown): void {
  if (typeof reference !== 'string' || known.has(reference)) return;
  known.add(reference);
  const target = find(document, reference);
  if (!target) return;
  addReferences(document, known, target);
  // A reference to a parent with a discriminator also means its children, which have the parent in their allOf.
  if (!('discriminator' in target)) return;
  for (const [name, schema] of Object.entries(Object(document.components?.['schemas']) as object)) {
    const { allOf = [] } = Object(schema) as { readonly allOf?: readonly { readonly $ref?: unknown }[] };
    if (allOf.some(({ $ref }) => $ref === reference))
      addTarget(document, known, `#/components/schemas/${toPointerKey(name)}`);
  }
}

function find(document: Document, reference = ''): object | undefined {
  const keys = reference.startsWith('#') ? toKeys(reference) : [];
  const found = keys.reduce<unknown>((node, key) => (Object(node) as Record<string, unknown>)[key], document);
  return keys.length > 0 && isObjectOrArray(found) ? found : undefined;
}
