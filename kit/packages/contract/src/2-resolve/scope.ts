// Tells what an error in a contract costs: nothing, some operations, or all.
import { pathsOf, toSchemeName, type Document } from './document';
import { operationsOf } from './path-item';
import { fromPointerKey, toPointerKey } from '../text/document-error';
import { isMapByName } from '../1-parse/parse-yaml';
import { isObjectOrArray } from './schema';
import { OPERATION_FIELDS } from './structure';

// What nothing that is served depends on.
const DOCUMENTATION = new Set(
  [
    'tags externalDocs example examples description summary title contact license termsOfService xml deprecated',
    'callbacks webhooks links',
  ].flatMap((line) => line.split(' ')),
);

function isDocumentation(key: string): boolean {
  return DOCUMENTATION.has(key) || (key.startsWith('x-') && !Object.hasOwn(OPERATION_FIELDS, key));
}

/**
 * Whether a part of a contract is documentation only, by the keys of its JSON pointer.
 *
 * @example isDocumented(['paths', '/a', 'get', 'tags', '0']) // true
 */
export function isDocumented(keys: readonly string[]): boolean {
  let areNames = false;
  return keys.some((key, index) => {
    // The title of the contract is the realm of its challenges.
    if (!areNames && isDocumentation(key) && !(index === 1 && keys[0] === 'info' && key === 'title')) return true;
    areNames = !areNames && isMapByName(key, undefined);
    return false;
  });
}

/** Whether an operation that has all of one part needs the other one: it is inside of it, and no documentation, or around it. */
function needs(known: string, pointer: string): boolean {
  if (known.startsWith(`${pointer}/`)) return true;
  const isInside = `${pointer}/`.startsWith(`${known}/`);
  return isInside && !isDocumented(toKeys(pointer.slice(known.length)));
}

function toKeys(pointer: string): string[] {
  return pointer.split('/').slice(1).map(fromPointerKey);
}

/** The operations that need a part of a contract, such as `GET /books`, or `/books` for a path item whose operations are unknown; undefined for all of them. */
export type FindUsers = (pointer: string) => readonly string[] | undefined;

/**
 * Creates the function that tells which operations need a part of a contract: none needs documentation and components that
 * no operation refers to.
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

// The pointers to what each operation consists of: itself, and all that it refers to; and to each path item that may have
// operations.
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
  // A reference to a parent with a discriminator means each schema that has it in its allOf.
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
