// Rewrites media types for openapi-typescript.
import {
  ANYTHING,
  type Document,
  type Media,
  METHODS,
  Mistake,
  readContent,
  type Schema,
} from '@contract-kit/server/contract';
import { BYTES_FORMAT, FILE_FORMAT } from './api-types';

type Node = Readonly<Record<string, unknown>>;
type Content = Parameters<typeof readContent>[1];

const BYTES_SCHEMA = { type: 'string', format: BYTES_FORMAT };
const TEXT_SCHEMA = { type: 'string' };
const FILE_SCHEMA = { type: 'string', format: FILE_FORMAT };

/**
 * Rewrites the bodies of a contract as handlers see them: bytes are a Buffer and texts a string where the schema is not
 * checked, and a media range that stands for JSON is JSON.
 */
export function withTypedMedia(document: Document): Document {
  const { paths, components = {} } = document;
  const { requestBodies = {}, responses = {} } = components;
  return {
    ...document,
    paths: mapObjects(paths, (item) => {
      return mapObjects(item, (operation, method) => (METHODS.has(method) ? typeOperationBodies(operation) : operation));
    }),
    components: {
      ...components,
      requestBodies: mapObjects(requestBodies, (body) => typeBodies(body, false)),
      responses: mapObjects(responses, (body) => typeBodies(body, true)),
    },
  };

  function typeOperationBodies(operation: Node): Node {
    const { requestBody, responses: replies } = operation as { requestBody?: Node; responses?: Node };
    return {
      ...operation,
      ...(requestBody && { requestBody: typeBodies(requestBody, false) }),
      ...(replies && { responses: mapObjects(replies, (body) => typeBodies(body, true)) }),
    };
  }

  function typeBodies(body: Node, isReply: boolean): Node {
    const { content } = body as { content?: Content };
    if ('$ref' in body || content === undefined) return body;
    try {
      const all = readContent(document, content, isReply);
      const media = all.map((one) => [one.type, one.parts ? typeFormSchema(content, one) : typeBodySchema(content, one)] as const);
      return { ...body, content: Object.fromEntries(media) };
    } catch (error) {
      // Only a component that no operation uses can have a mistake.
      if (error instanceof Mistake) return body;
      throw error;
    }
  }
}

// A part that is a file is of type File, also in the alternatives of the schema.
function typeFormSchema(content: Content, { key, schema, parts = new Map<string, never>() }: Media): Node {
  const files = new Map([...parts].filter(([, { kind }]) => kind === 'file'));
  return { ...content[key], schema: withFileTypes(schema) };

  function withFileTypes(node: Schema): Schema {
    const typed = Object.entries<Schema>(node.properties ?? {}).map(([name, one]) => {
      const file = files.get(name);
      if (!file) return [name, one] as const;
      return [name, file.isList ? { ...one, items: FILE_SCHEMA } : FILE_SCHEMA] as const;
    });
    const alternatives = (['allOf', 'anyOf', 'oneOf'] as const).flatMap((keyword) => {
      const some = node[keyword];
      return some ? [[keyword, some.map(withFileTypes)] as const] : [];
    });
    return {
      ...node,
      ...(node.properties && { properties: Object.fromEntries(typed) as Record<string, Schema> }),
      ...(Object.fromEntries(alternatives) as object),
    };
  }
}

function typeBodySchema(content: Content, { key, kind, schema }: Media): Node {
  if (schema !== ANYTHING || kind === 'json' || kind === 'form') return { ...content[key], schema };
  return { ...content[key], schema: kind === 'binary' ? BYTES_SCHEMA : TEXT_SCHEMA };
}

function mapObjects(nodes: object, change: (node: Node, name: string) => Node): Record<string, Node> {
  const members = Object.entries(nodes as Readonly<Record<string, Node>>).map(([name, node]) => {
    return [name, typeof node === 'object' && !Array.isArray(node) ? change(node, name) : node] as const;
  });
  return Object.fromEntries(members);
}
