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
 * Writes each member of an object, whose keys are keywords, as JSON that is the same for all members of the same
 * meaning: keys are sorted, references replaced by what they refer to, and annotations such as `description` left out.
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

// Such as names in `properties`, data in `default` and in extensions (`x-...`), and keywords in `items`.
function kindOfChild(kind: Kind, key: string): Kind {
  if (kind === 'data' || (kind === 'keywords' && (VALUE_KEYWORDS.has(key) || key.startsWith('x-')))) return 'data';
  return kind === 'keywords' && MAP_KEYWORDS.has(key) ? 'names' : 'keywords';
}

// Only keywords can be annotations, and data has no references. `following` has those that lead to the node.
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
