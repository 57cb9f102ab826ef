import { resolveReference, type Document } from '../../src/contract/document/document';
import { ANNOTATIONS, DATA, MAPS } from './annotations';
import { isObject, type JsonObject } from './json';

/**
 * The members of an object, each as one text for all ways to write the same: the order of keys, references and
 * annotations make no difference.
 *
 * @param node any part of the document in which the keys are keywords
 * @returns JSON by keyword, without those that are annotations
 */
export function canonicalMembers(document: Document, node: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(node)
      .filter(([keyword]) => !ANNOTATIONS.has(keyword))
      .map(([keyword, value]) => [keyword, write(document, value, kindBelow('keywords', keyword), [])]),
  );
}

/** What the keys of an object are. */
type Kind = 'keywords' | 'names' | 'data';

function kindBelow(kind: Kind, key: string): Kind {
  if (kind === 'data' || (kind === 'keywords' && (DATA.has(key) || key.startsWith('x-')))) return 'data';
  return kind === 'keywords' && MAPS.has(key) ? 'names' : 'keywords';
}

function write(document: Document, node: unknown, kind: Kind, references: readonly string[]): string {
  if (Array.isArray(node)) return `[${node.map((item) => write(document, item, kind, references)).join()}]`;
  if (!isObject(node)) return JSON.stringify(node);
  const { $ref } = node;
  const entries = Object.entries(node).filter(([key]) => kind !== 'keywords' || !ANNOTATIONS.has(key));
  // A schema that refers to itself ends with the name of the reference.
  const isFollowed = kind !== 'data' && typeof $ref === 'string' && !references.includes($ref);
  const target = isFollowed && write(document, resolveReference(document, { $ref }), kind, [...references, $ref]);
  if (target !== false && entries.length === 1) return target;
  const members = entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => {
      const text =
        key === '$ref' && target !== false ? target : write(document, value, kindBelow(kind, key), references);
      return `${JSON.stringify(key)}:${text}`;
    });
  return `{${members.join()}}`;
}
