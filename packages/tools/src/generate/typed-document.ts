// Prepares a contract for openapi-typescript.
import {
  type Document,
  isIgnored,
  METHODS,
  type Operation,
  type ParameterObject,
  pathsOf,
  type PathItem,
  type Reference,
  resolvePathItem,
  resolveReference,
} from '@contract-kit/server/contract';

type Operations = Readonly<Record<string, { readonly operationId?: string }>>;

/**
 * Prepares a contract for openapi-typescript, which makes a type for each operationId: each operation that is served
 * has the name of its handler as operationId, and no other has one. Only security schemes that operations use are left,
 * and no parameters that OpenAPI ignores.
 */
export function toTypedDocument(document: Document, operations: readonly Operation[]): Document {
  const { components = {}, webhooks = {} } = document as Document & { readonly webhooks?: Record<string, PathItem> };
  const { pathItems = {}, securitySchemes = {} } = components as Readonly<Record<string, Record<string, PathItem>>>;
  const paths = Object.entries(pathsOf(document)).map(([path, node]) => {
    const item = resolvePathItem(document, node);
    const served = operations.filter((operation) => operation.path === path);
    const namedOperations = served.map(({ method, object, id }) => {
      return [method.toLowerCase(), { ...object, ...withoutIgnoredParameters(object), operationId: id }] as const;
    });
    return [
      path,
      { ...withoutOperationIds(item), ...withoutIgnoredParameters(item), ...Object.fromEntries(namedOperations) },
    ] as const;
  });
  const used = new Set(operations.flatMap(({ security }) => security.flat().map(({ scheme }) => scheme)));
  const usedSchemes = Object.entries(securitySchemes).filter(([name]) => used.has(name));

  // Leaves out those that OpenAPI ignores, such as the header Accept.
  function withoutIgnoredParameters({ parameters }: Pick<PathItem, 'parameters'>): Pick<PathItem, 'parameters'> {
    if (parameters === undefined) return {};
    return { parameters: parameters.filter((node) => !isIgnored(resolveReference<ParameterObject>(document, node))) };
  }

  return {
    ...document,
    paths: Object.fromEntries(paths),
    ...({ webhooks: mapValues(webhooks, withoutOperationIds) } as object),
    components: {
      ...components,
      ...(Object.keys(pathItems).length > 0 && { pathItems: mapValues(pathItems, withoutOperationIds) }),
      securitySchemes: Object.fromEntries(usedSchemes) as Record<string, Reference>,
    },
  };
}

function withoutOperationIds(item: PathItem): PathItem {
  const members = Object.entries(item as Operations).map(([key, value]) => {
    return METHODS.has(key) ? [key, { ...value, operationId: undefined }] : [key, value];
  });
  return Object.fromEntries(members) as PathItem;
}

function mapValues<T>(all: Readonly<Record<string, T>>, change: (value: T) => T): Record<string, T> {
  return Object.fromEntries(Object.entries(all).map(([name, value]) => [name, change(value)]));
}
