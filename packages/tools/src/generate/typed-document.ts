// Prepares a contract for openapi-typescript.
import {
  ANYTHING,
  type NormalizedDocument as Document,
  METHODS,
  type Media,
  Mistake,
  type Operation,
  type ParameterObject,
  type PathItem,
  type Reference,
  type NormalizedSchema as Schema,
  isIgnored,
  pathsOf,
  readContent,
  resolvePathItem,
  resolveReference,
} from '@contract-kit/server/contract';
import { BYTES_FORMAT, FILE_FORMAT } from './api-types';

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

  // Leaves out parameters that OpenAPI ignores, such as the header Accept.
  function withoutIgnoredParameters({ parameters }: Pick<PathItem, 'parameters'>): Pick<PathItem, 'parameters'> {
    if (parameters === undefined) return {};
    return { parameters: parameters.filter((node) => !isIgnored(resolveReference<ParameterObject>(document, node))) };
  }

  return {
    ...document,
    paths: Object.fromEntries(paths),
    ...({ webhooks: mapObjects(webhooks, withoutOperationIds) } as object),
    components: {
      ...components,
      ...(Object.keys(pathItems).length > 0 && { pathItems: mapObjects(pathItems, withoutOperationIds) }),
      securitySchemes: Object.fromEntries(usedSchemes) as Record<string, Reference>,
    },
  };
}

function withoutOperationIds(item: object): Node {
  return mapObjects(item, (member, key) => (METHODS.has(key) ? { ...member, operationId: undefined } : member));
}

type Node = Readonly<Record<string, unknown>>;
type Content = Parameters<typeof readContent>[1];

const BYTES_SCHEMA = { type: 'string', format: BYTES_FORMAT };
const TEXT_SCHEMA = { type: 'string' };
const FILE_SCHEMA = { type: 'string', format: FILE_FORMAT };

/**
 * Copies a contract with the bodies of requests and replies as handlers see them, for openapi-typescript: bytes are a
 * Buffer and texts a string where the schema is not checked, and a media range that stands for JSON is JSON.
 */
export function typeMedia(document: Document): Document {
  const { paths, components = {} } = document;
  const { requestBodies = {}, responses = {} } = components;
  return {
    ...document,
    paths: mapObjects(paths, (item) => {
      return mapObjects(item, (member, name) => (METHODS.has(name) ? typeOperationBodies(member) : member));
    }),
    components: {
      ...components,
      requestBodies: mapObjects(requestBodies, (body) => typeContent(body, false)),
      responses: mapObjects(responses, (reply) => typeContent(reply, true)),
    },
  };

  function typeOperationBodies(operation: Node): Node {
    const { requestBody, responses: replies } = operation as { requestBody?: Node; responses?: Node };
    return {
      ...operation,
      ...(requestBody && { requestBody: typeContent(requestBody, false) }),
      ...(replies && { responses: mapObjects(replies, (reply) => typeContent(reply, true)) }),
    };
  }

  // Returns a reference unchanged.
  function typeContent(body: Node, isReply: boolean): Node {
    const { content } = body as { content?: Content };
    if ('$ref' in body || content === undefined) return body;
    try {
      const typed = readContent(document, content, isReply).map((media) => {
        const isForm = media.parts !== undefined;
        return [media.type, isForm ? typeFormMedia(content, media) : typeOtherMedia(content, media)] as const;
      });
      return { ...body, content: Object.fromEntries(typed) };
    } catch (error) {
      // The contract can be served, so that only a component that no operation uses can have an error: it stays.
      if (error instanceof Mistake) return body;
      throw error;
    }
  }
}

// Gives type File to the parts of a multipart/form-data that are files.
function typeFormMedia(content: Content, { key, schema, parts = new Map<string, never>() }: Media): Node {
  const files = new Map([...parts].filter(([, { kind }]) => kind === 'file'));
  return { ...content[key], schema: withFileTypes(schema) };

  function withFileTypes(node: Schema): Schema {
    const properties = Object.entries<Schema>(node.properties ?? {}).map(([name, property]) => {
      const file = files.get(name);
      if (!file) return [name, property] as const;
      return [name, file.isList ? { ...property, items: FILE_SCHEMA } : FILE_SCHEMA] as const;
    });
    const byKeyword = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((keyword) => {
      const schemas = node[keyword];
      return schemas ? [[keyword, schemas.map(withFileTypes)] as const] : [];
    });
    return {
      ...node,
      ...(node.properties && { properties: Object.fromEntries(properties) as Record<string, Schema> }),
      ...(Object.fromEntries(byKeyword) as object),
    };
  }
}

// JSON and other forms are parsed. Of all others, a schema that is not checked is ANYTHING: handlers get bytes or text.
function typeOtherMedia(content: Content, { key, kind, schema }: Media): Node {
  const isParsed = schema !== ANYTHING || kind === 'json' || kind === 'form';
  if (isParsed) return { ...content[key], schema };
  return { ...content[key], schema: kind === 'binary' ? BYTES_SCHEMA : TEXT_SCHEMA };
}

// Changes the members that are objects; arrays and other values stay the same.
function mapObjects(nodes: object, change: (node: Node, name: string) => Node): Record<string, Node> {
  const members = Object.entries(nodes as Readonly<Record<string, Node>>).map(([name, node]) => {
    return [name, typeof node === 'object' && !Array.isArray(node) ? change(node, name) : node] as const;
  });
  return Object.fromEntries(members);
}
