// Compares parts of contracts, whatever the order of their keys and their annotations.
import { type Document, resolveReference } from '@contract-kit/server/contract';
import { isObject, type JsonObject } from './problem';

/** Keywords for people. They change nothing between client and server. */
const ANNOTATIONS: ReadonlySet<string> = new Set([
  ...['title', 'summary', 'description', 'externalDocs', 'tags', 'deprecated', 'example', 'examples', '$comment'],
]);

/** Keywords whose members have names of the contract's own choice as keys, not keywords. */
export const MAP_KEYWORDS: ReadonlySet<string> = new Set([
  ...['properties', 'patternProperties', 'dependentSchemas', '$defs', 'mapping', 'scopes', 'variables'],
  ...['paths', 'responses', 'content', 'headers', 'encoding', 'callbacks', 'links'],
]);

/** Keywords that hold values of the API. No key inside them is a keyword. */
export const VALUE_KEYWORDS: ReadonlySet<string> = new Set(['enum', 'const', 'default']);

/**
 * Writes each member of an object as JSON that is the same for all members of the same meaning: keys are sorted,
 * references replaced by what they refer to, and annotations such as `description` left out.
 *
 * @param node any part of the document in which the keys are keywords, such as a schema
 * @returns the JSON by keyword, such as `"string"` for `type`
 */
export function toCanonicalMembers(document: Document, node: JsonObject): ReadonlyMap<string, string> {
  return new Map(
    Object.entries(node)
      .filter(([keyword]) => !ANNOTATIONS.has(keyword))
      .map(([keyword, value]) => [keyword, toCanonicalJson(document, value, kindOfChild('keywords', keyword), [])]),
  );
}

/** What the keys of an object are: keywords of OpenAPI, names that the contract chose, or parts of a value. */
type Kind = 'keywords' | 'names' | 'data';

/**
 * What the keys inside a member are: names in `properties`, data in `default` and in extensions (`x-...`), and keywords
 * in `items`, or in a member of `properties`.
 *
 * @param kind what the keys of the object around it are
 * @param key the member's key
 */
function kindOfChild(kind: Kind, key: string): Kind {
  if (kind === 'data' || (kind === 'keywords' && (VALUE_KEYWORDS.has(key) || key.startsWith('x-')))) return 'data';
  return kind === 'keywords' && MAP_KEYWORDS.has(key) ? 'names' : 'keywords';
}

/**
 * Writes a node as JSON that is the same for all nodes of the same meaning, as toCanonicalMembers describes it.
 *
 * @param kind what the keys of the node are: only keywords can be annotations, and data has no references
 * @param following the references that lead to this node
 */
function toCanonicalJson(document: Document, node: unknown, kind: Kind, following: readonly string[]): string {
  if (Array.isArray(node)) return `[${node.map((item) => toCanonicalJson(document, item, kind, following)).join()}]`;
  if (!isObject(node)) return JSON.stringify(node);
  const { $ref } = node;
  const entries = Object.entries(node).filter(([key]) => kind !== 'keywords' || !ANNOTATIONS.has(key));
  // A reference that is being followed already is written as itself, so that recursive schemas terminate.
  const isFollowed = kind !== 'data' && typeof $ref === 'string' && !following.includes($ref);
  const target = isFollowed
    ? toCanonicalJson(document, resolveReference(document, { $ref }), kind, [...following, $ref])
    : undefined;
  // An object with nothing but a reference means the same as its target.
  if (target !== undefined && entries.length === 1) return target;
  const members = entries
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, value]) => {
      const text =
        key === '$ref' && target !== undefined
          ? target
          : toCanonicalJson(document, value, kindOfChild(kind, key), following);
      return `${JSON.stringify(key)}:${text}`;
    });
  return `{${members.join()}}`;
}
