import { resolveReference, type Document, type PathItem } from './document';
import { Mistake } from './mistake';

/**
 * The paths of a document; empty if it has only webhooks.
 *
 * @example Object.keys(pathsOf(document)) // ['/books', '/books/{id}']
 */
export function pathsOf({ paths = {} }: Partial<Pick<Document, 'paths'>>): Document['paths'] {
  return paths;
}

/**
 * Follows the reference of a path item, if it is one. Fields beside the reference are added (OpenAPI 3.1, Path Item Object).
 *
 * @throws Mistake when the reference leads nowhere, or to an item that has the same field
 * @example resolvePathItem(document, { $ref: '#/components/pathItems/Books' })
 */
export function resolvePathItem(document: Document, node: PathItem): PathItem {
  const { $ref, ...fieldsBeside } = node;
  if ($ref === undefined) return node;
  const target = resolveReference(document, node);
  const repeated = Object.keys(fieldsBeside).find((key) => Object.hasOwn(target, key));
  if (repeated !== undefined) {
    throw new Mistake(node, `${repeated} is in ${$ref}, too: write it in one of them`, repeated);
  }
  return { ...target, ...fieldsBeside };
}
