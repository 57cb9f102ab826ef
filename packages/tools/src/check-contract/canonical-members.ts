// Compares parts of contracts, whatever the order of their keys and their annotations.
import { type Document, resolveReference } from '@contract-kit/server/contract';
import { isObject, type JsonObject } from './problem';

/** Keywords for people. They change nothing between client and server. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'summary', 'description', 'externalDocs', 'tags', 'deprecated', 'example', 'examples', '$comment'],
]);

/** Keywords whose members have names of the contract's own choice as keys, not keywords. */
export const MAPS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'mapping', 'scopes', 'variables'],
  ...['paths', 'responses', 'content', 'headers', 'encoding', 'callbacks', 'links'],
]);

/** Keywords that hold values of the API. No key inside them is a keyword. */
export const DATA: ReadonlySet<string> = new Set(['enum', 'const', 'default']);

/**
 * The members of an object in canonical form: the order of keys, references and annotations make no difference.
 *
 * @param node any part of the document in which the keys are keywords
 * @returns JSON by keyword, without annotations
 */
export function toCanonicalMembers(document: Document, node: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(node)
      .filter(([keyword]) => !ANNOTATIONS.has(keyword))
      .map(([keyword, value]) => [keyword, toCanonicalJson(document, value, kindBelow('keywords', keyword), [])]),
  );
}

/** What the keys of an object are: keywords of OpenAPI, names that the contract chose, or parts of a value. */
type Kind = 'keywords' | 'names' | 'data';

function kindBelow(kind: Kind, key: string): Kind {
  if (kind === 'data' || (kind === 'keywords' && (DATA.has(key) || key.startsWith('x-')))) return 'data';
  return kind === 'keywords' && MAPS.has(key) ? 'names' : 'keywords';
}

function toCanonicalJson(document: Document, node: unknown, kind: Kind, references: readonly string[]): string {
  if (Array.isArray(node)) return `[${node.map((item) => toCanonicalJson(document, item, kind, references)).join()}]`;
  if (!isObject(node)) return JSON.stringify(node);
  const { $ref } = node;
  const entries = Object.entries(node).filter(([key]) => kind !== 'keywords' || !ANNOTATIONS.has(key));
  // A reference that is being followed already is written as itself, so that recursive schemas terminate.
  const isFollowed = kind !== 'data' && typeof $ref === 'string' && !references.includes($ref);
  const target =
    isFollowed && toCanonicalJson(document, resolveReference(document, { $ref }), kind, [...references, $ref]);
  if (target !== false && entries.length === 1) return target;
  const members = entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => {
      const text =
        key === '$ref' && target !== false
          ? target
          : toCanonicalJson(document, value, kindBelow(kind, key), references);
      return `${JSON.stringify(key)}:${text}`;
    });
  return `{${members.join()}}`;
}
