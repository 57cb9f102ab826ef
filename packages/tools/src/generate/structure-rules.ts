import { resolve } from 'node:path';
import { type Document, findDialect, findSchemas, type Schema } from '@contract-kit/server/contract';
import type { Problem } from '../bundle/files-resolver';
import { splitPointer } from '../check/problem';

/**
 * Creates a filter for the problems that Redocly finds in the structure or the references of a contract. It keeps those
 * that are problems by OpenAPI, too.
 *
 * Redocly gives some extensions a structure, and OpenAPI none. A version may be a number. A mapping may have the name
 * of a schema, which Redocly takes for a file. In 3.1, a schema may be true or false, examples and unknown keywords are
 * annotations, and exclusive limits may be booleans in the dialect of draft-04.
 */
export function createStructureFilter(file: string, document: Document): (problem: Problem) => boolean {
  let schemas: ReadonlySet<object> | undefined;
  return ({ ruleId, message, location: [place] }) => {
    const pointer = place?.pointer ?? '';
    const isOfStructure = ruleId === 'struct';
    if (isOfStructure && (pointer.includes('/x-') || pointer === '#/info/version')) return false;
    // The document cannot tell what is in the other files.
    if (place?.source.absoluteRef !== resolve(file)) return true;
    const parentKeys = splitPointer(pointer);
    const key = parentKeys.pop() ?? '';
    const parent = parentKeys.reduce<unknown>(readMember, document);
    const value = readMember(parent, key);
    if (!isOfStructure) {
      const schemasByName = readMember(readMember(document, 'components'), 'schemas');
      const isNameInMapping = parentKeys.at(-1) === 'mapping' && readMember(schemasByName, value) !== undefined;
      return !isNameInMapping;
    }
    if (!String(readMember(document, 'openapi')).startsWith('3.1')) return true;
    const isBooleanSchema = message.endsWith('`Schema` (object) but got `boolean`');
    if (isBooleanSchema) return false;
    if (!isSchema(parent)) return true;
    const isUnknownKeyword = message.endsWith('is not expected here.');
    const isBooleanLimit = typeof value === 'boolean' && (key === 'exclusiveMinimum' || key === 'exclusiveMaximum');
    const isAllowedLimit = isBooleanLimit && findDialect(document, parent)?.hasFlags === true;
    return !(isUnknownKeyword || key === 'examples' || isAllowedLimit);
  };

  // Finds the schemas of the document only when they are needed: it takes time, and most contracts have no problems.
  function isSchema(node: unknown): node is Schema {
    schemas ??= findSchemasSafely(document);
    return schemas.has(node as object);
  }
}

// A document with mistakes may have any value anywhere.
function readMember(node: unknown, key: unknown): unknown {
  const name = String(key);
  return typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    ? (node as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function findSchemasSafely(document: Document): ReadonlySet<object> {
  try {
    return findSchemas(document);
  } catch {
    return new Set();
  }
}
