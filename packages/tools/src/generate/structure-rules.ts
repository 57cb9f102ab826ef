import { resolve } from 'node:path';
import { type Document, findDialect, findSchemas, type Schema } from '@contract-kit/server/contract';
import type { Problem } from '../bundle/files-resolver';
import { toKeys } from '../check-contract/problem';

/**
 * Tells whether what Redocly says of the structure of a contract, or of its references, is what OpenAPI says.
 *
 * OpenAPI gives extensions no structure; Redocly gives some of them one. A version that is a number says which it is. A
 * mapping may have the name of a schema, which Redocly takes for a file. What is no keyword of a schema is an annotation in
 * 3.1, and so are its examples; a schema may be true or false there. Its exclusive limits may be flags, in the dialect of
 * draft-04.
 */
export function createStructureFilter(file: string, document: Document): (problem: Problem) => boolean {
  let schemas: ReadonlySet<object> | undefined;
  return ({ ruleId, message, location: [place] }) => {
    const pointer = place?.pointer ?? '';
    if (ruleId === 'struct' && (pointer.includes('/x-') || pointer === '#/info/version')) return false;
    // Of another file it is not known what stands where.
    if (place?.source.absoluteRef !== resolve(file)) return true;
    const keys = toKeys(pointer);
    const key = keys.pop() ?? '';
    const parent = keys.reduce<unknown>(memberOf, document);
    const value = memberOf(parent, key);
    const names = memberOf(memberOf(document, 'components'), 'schemas');
    if (ruleId !== 'struct') return !(keys.at(-1) === 'mapping' && memberOf(names, value) !== undefined);
    if (!String(memberOf(document, 'openapi')).startsWith('3.1')) return true;
    if (message.endsWith('`Schema` (object) but got `boolean`')) return false;
    if (!isSchema(parent)) return true;
    const isFlag = typeof value === 'boolean' && (key === 'exclusiveMinimum' || key === 'exclusiveMaximum');
    const isUnknown = message.endsWith('is not expected here.');
    return !(isUnknown || key === 'examples' || (isFlag && findDialect(document, parent)?.hasFlags === true));
  };

  function isSchema(node: unknown): node is Schema {
    schemas ??= findAll(document);
    return schemas.has(node as object);
  }
}

// Of a document that breaks rules, nothing is known.
function memberOf(node: unknown, key: unknown): unknown {
  const name = String(key);
  return typeof node === 'object' && node !== null && Object.hasOwn(node, name)
    ? (node as Readonly<Record<string, unknown>>)[name]
    : undefined;
}

function findAll(document: Document): ReadonlySet<object> {
  try {
    return findSchemas(document);
  } catch {
    return new Set();
  }
}
