// Finds the schemas of what clients send.
import {
  type Document,
  findSchemas,
  METHODS,
  type PathItem,
  pathsOf,
  resolvePathItem,
  resolveReference,
  type Schema,
} from '@contract-kit/server/contract';

/** What a path item and an operation have for requests. */
type Receiver = Pick<PathItem, 'parameters'> & { readonly requestBody?: object };

/** Finds the schemas of parameters and bodies, and all that are inside them or referred to. */
export function findRequestSchemas(document: Document): ReadonlySet<Schema> {
  const items = Object.values(pathsOf(document)).map((item) => resolvePathItem(document, item));
  const operations = items.flatMap((item) => {
    const fields = Object.entries(item) as [string, Receiver][];
    return fields.filter(([name]) => METHODS.has(name)).map(([, operation]) => operation);
  });
  const messages = [...items, ...operations].flatMap(({ parameters = [], requestBody = {} }: Receiver) => {
    return [...parameters, requestBody].map((node) => resolveReference(document, node));
  });
  return findSchemas(document, messages);
}
