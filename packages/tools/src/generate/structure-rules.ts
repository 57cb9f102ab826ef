import { resolve } from 'node:path';
import { type Document, findDialect, findSchemas, type Schema } from '@contract-kit/server/contract';
import type { Problem } from '../bundle/files-resolver';
import { splitPointer } from '../check-contract/problem';

/**
 * Creates a filter for problems that Redocly finds in the structure or the references of a contract. It keeps those
 * that are problems by OpenAPI, too.
 *
 * Redocly gives some extensions a structure, and OpenAPI none. A version may be a number. A mapping may have the name
 * of a schema, which Redocly takes for a file. In 3.1, a schema may be true or false, examples and unknown keywords are
 * annotations, and exclusive limits may be flags in the dialect of draft-04.
 */
export function createStructureFilter(file: string, document: Document): (problem: Problem) => boolean {
  let schemas: ReadonlySet<object> | undefined;
  return ({ ruleId, message, location: [place] }) => {
    const pointer = place?.pointer ?? '';
    if (ruleId === 'struct' && (pointer.includes('/x-') || pointer === '#/info/version')) return false;
    // The document cannot tell what is in the other files.
    if (place?.source.absoluteRef !== resolve(file)) return true;
    const keys = splitPointer(pointer);
    const key = keys.pop() ?? '';
    const parent = keys.reduce<unknown>(readMember, document);
    const value = readMember(parent, key);
    const names = readMember(readMember(document, 'components'), 'schemas');
    if (ruleId !== 'struct') return !(keys.at(-1) === 'mapping' && readMember(names, value) !== undefined);
    if (!String(readMember(document, 'openapi')).startsWith('3.1')) return true;
    if (message.endsWith('`Schema` (object) but got `boolean`')) return false;
    if (!isSchema(parent)) return true;
    const isFlag = typeof value === 'boolean' && (key === 'exclusiveMinimum' || key === 'exclusiveMaximum');
    const isUnknown = message.endsWith('is not expected here.');
    return !(isUnknown || key === 'examples' || (isFlag && findDialect(document, parent)?.hasFlags === true));
  };

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

// Mistakes may prevent finding schemas.
function findSchemasSafely(document: Document): ReadonlySet<object> {
  try {
    return findSchemas(document);
  } catch {
    return new Set();
  }
}
