// Lists the operations in a path item's fixed fields and in its additionalOperations (OpenAPI 3.2).
import type { OperationObject } from './document';
import { isObjectOrArray, isOpenApi32 } from './schema';
import { METHOD_FIELDS } from './structure';

/** The methods without a fixed field that Node's HTTP parser accepts, except CONNECT, which is for proxies. */
export const METHODS_WITHOUT_FIELD: ReadonlySet<string> = new Set(
  [
    'ACL BIND CHECKOUT COPY LINK LOCK M-SEARCH MERGE MKACTIVITY MKCALENDAR MKCOL MOVE NOTIFY PROPFIND PROPPATCH PURGE',
    'REBIND REPORT SEARCH SOURCE SUBSCRIBE UNBIND UNLINK UNLOCK UNSUBSCRIBE',
  ].flatMap((line) => line.split(' ')),
);

/** An operation and its location in the path item. */
export interface PathOperation {
  readonly method: string;
  /** The method, or the pointer within the path item if the method also has a fixed field. */
  readonly name: string;
  readonly keys: readonly string[];
  readonly object: OperationObject;
  /** Why the operation cannot be served; undefined if it can. */
  readonly problem: string | undefined;
}

/**
 * Lists the operations of a path item whose reference has been followed.
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
  const fieldByMethod = new Map([...methods].map(([field, method]) => [method, field]));
  if (prefix !== '' && !members.has('x-oai-query')) fieldByMethod.delete('QUERY');
  return [
    ...[...members].flatMap(([field, object]): PathOperation[] => {
      const method = methods.get(field);
      return method === undefined ? [] : [{ method, name: method, keys: [field], object, problem: undefined }];
    }),
    ...Object.entries(isObjectOrArray(additions) ? additions : {}).flatMap(([method, object]): PathOperation[] => {
      if (method.startsWith('x-')) return [];
      const field = fieldByMethod.get(method);
      const keys = [`${prefix}additionalOperations`, method] as const;
      const name = field === undefined ? method : keys.join('/');
      return [{ method, name, keys, object: object as OperationObject, problem: findProblem(method, field) }];
    }),
  ];
}

function findProblem(method: string, field: string | undefined): string | undefined {
  if (field !== undefined) return `${method} has a field of its own: write ${field} beside additionalOperations`;
  if (method === 'QUERY' || METHODS_WITHOUT_FIELD.has(method)) return undefined;
  return `Node.js reads no request with the method ${method}: write one of ${[...METHODS_WITHOUT_FIELD].join(', ')}`;
}
