// The nodes at the same place in two contracts that are compared.
import { type Document, resolveReference } from '@contract-kit/server/contract';
import { toCanonicalMembers } from './canonical-members';
import { isObject, pointerTo, type JsonObject, type Problem } from './problem';

/** The nodes at the same JSON pointer in two contracts. */
export interface NodePair {
  /** Where the nodes are, as if every reference and every allOf were written out. */
  readonly pointer: string;
  /** The object there, with references followed; undefined if there is none. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
  readonly documents: { readonly before: Document; readonly after: Document };
}

/**
 * Creates the pair of two nodes that are compared, with references followed.
 *
 * @param pointer the JSON pointer to both
 * @param before the node of the older contract; undefined if only the newer one has it
 */
export function createPair(
  { documents }: Pick<NodePair, 'documents'>,
  pointer: string,
  before: unknown,
  after: unknown,
): NodePair {
  return {
    pointer,
    before: resolveNode(documents.before, before),
    after: resolveNode(documents.after, after),
    documents,
  };
}

export function childPair(pair: NodePair, key: string): NodePair {
  return createPair(pair, pointerTo(pair.pointer, key), pair.before?.[key], pair.after?.[key]);
}

/**
 * The pair under each key that the node of either contract has: `before` or `after` is undefined if only one has it.
 */
export function childPairs(pair: NodePair): [name: string, NodePair][] {
  const names = new Set([...Object.keys(pair.before ?? {}), ...Object.keys(pair.after ?? {})]);
  return [...names].map((name) => [name, childPair(pair, name)]);
}

/**
 * Finds the keywords whose values differ, but for those that are compared elsewhere. Each is reported as a break, since
 * it may be one. Annotations such as `description` are not compared.
 *
 * @param comparedElsewhere the keywords to leave out
 * @param effect the end of the message
 */
export function findOtherKeywordChanges(
  pair: NodePair,
  comparedElsewhere: readonly string[],
  effect = 'cannot tell what this changes',
): Problem[] {
  const before = toCanonicalMembers(pair.documents.before, pair.before ?? {});
  const after = toCanonicalMembers(pair.documents.after, pair.after ?? {});
  const keywords = new Set([...before.keys(), ...after.keys()]);
  return [...keywords]
    .filter((keyword) => !comparedElsewhere.includes(keyword) && before.get(keyword) !== after.get(keyword))
    .map((keyword) => ({
      pointer: pointerTo(pair.pointer, keyword),
      message: `${before.get(keyword) ?? 'none'} -> ${after.get(keyword) ?? 'none'}; ${effect}`,
    }));
}

function resolveNode(document: Document, node: unknown): JsonObject | undefined {
  return isObject(node) ? resolveReference(document, node) : undefined;
}
