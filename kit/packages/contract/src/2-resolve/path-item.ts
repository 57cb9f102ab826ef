// Lists the operations of a path item: those of its fixed fields, and its additionalOperations (OpenAPI 3.2).
import type { OperationObject } from './document';
import { isObjectOrArray, isOpenApi32 } from './schema';
import { METHOD_FIELDS } from './structure';

/** The methods that Node's HTTP parser accepts beyond the fixed fields. CONNECT is left out, as it is for proxies. */
export const ADDITIONAL_METHODS: ReadonlySet<string> = new Set(
  [
    'ACL BIND CHECKOUT COPY LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY PROPFIND PROPPATCH PURGE',
    'REBIND REPORT SEARCH SOURCE SUBSCRIBE UNBIND UNLINK UNLOCK UNSUBSCRIBE',
  ].flatMap((line) => line.split(' ')),
);

/** An operation and its location in the path item. */
export interface PathOperation {
  readonly method: string;
  /** The method, or the pointer within the path item if a fixed field has the same method. */
  readonly name: string;
  readonly keys: readonly string[];
  readonly object: OperationObject;
  /** Why the operation cannot be served; undefined if it can. */
  readonly problem: string | undefined;
}

/**
 * Lists the operations of a path item, after its reference was followed.
 *
 * @example operationsOf(document, item).map(({ method }) => method) // ['GET', 'PURGE']
 */
export function operationsOf({ openapi }: { readonly openapi: string }, item: object): PathOperation[] {
  const prefix = isOpenApi32(openapi) ? '' : 'x-oai-';
  const members = new Map(Object.entries(item) as [string, OperationObject][]);
  const methods = new Map(
    [...METHOD_FIELDS, `${prefix}query`].map((field) => [field, field.replace('x-oai-', '').toUpperCase()]),
  );
  const additions = members.get(`${prefix}additionalOperations`);
  const fieldOf = new Map([...methods].map(([field, method]) => [method, field]));
  if (prefix !== '' && !members.has('x-oai-query')) fieldOf.delete('QUERY');
  return [
    ...[...members].flatMap(([field, object]): PathOperation[] => {
      const method = methods.get(field);
      return method === undefined ? [] : [{ method, name: method, keys: [field], object, problem: undefined }];
    }),
    ...Object.entries(isObjectOrArray(additions) ? additions : {}).flatMap(([method, object]): PathOperation[] => {
      if (method.startsWith('x-')) return [];
      const field = fieldOf.get(method);
      const keys = [`${prefix}additionalOperations`, method] as const;
      const name = field === undefined ? method : keys.join('/');
      return [{ method, name, keys, object: object as OperationObject, problem: findProblem(method, field) }];
    }),
  ];
}

function findProblem(method: string, field: string | undefined): string | undefined {
  if (field !== undefined) return `${method} has a field of its own: write ${field} beside additionalOperations`;
  if (method === 'QUERY' || ADDITIONAL_METHODS.has(method)) return undefined;
  return `Node.js reads no request with the method ${method}: write one of ${[...ADDITIONAL_METHODS].join(', ')}`;
}
