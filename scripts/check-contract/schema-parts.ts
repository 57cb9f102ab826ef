import { resolveReference, type Document } from '../../src/contract/document/document';
import { isObject, type JsonObject } from './json';

/** The schemas that all hold where one stands: itself, what it refers to, and the parts of its allOf. */
export function schemaParts(document: Document, node: unknown, seen = new Set<unknown>()): JsonObject[] {
  if (node === false) return [{ not: {} }];
  if (!isObject(node) || seen.has(node)) return [];
  seen.add(node);
  const { $ref, allOf } = node;
  const target = typeof $ref === 'string' ? [resolveReference(document, { $ref })] : [];
  const below = [...target, ...(Array.isArray(allOf) ? (allOf as unknown[]) : [])];
  const own = Object.keys(node).some((keyword) => keyword !== '$ref' && keyword !== 'allOf') ? [node] : [];
  return [...own, ...below.flatMap((part) => schemaParts(document, part, seen))];
}
