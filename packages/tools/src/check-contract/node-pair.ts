// The nodes at the same place in two contracts that are compared.
import { type Document, resolveReference } from '@contract-kit/server/contract';
import { toCanonicalMembers } from './canonical-members';
import { isObject, pointerTo, type JsonObject, type Problem } from './problem';

export interface NodePair {
  /** Where the nodes are, as if every reference and every allOf were written out. */
  readonly pointer: string;
  /** The object there, with references followed; undefined if there is none. */
  readonly before: JsonObject | undefined;
  readonly after: JsonObject | undefined;
  readonly documents: { readonly before: Document; readonly after: Document };
}

/** `before` or `after` is undefined if only the other contract has the node. References are followed. */
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

/** A pair for each key of either node. */
export function childPairs(pair: NodePair): [name: string, NodePair][] {
  const names = new Set([...Object.keys(pair.before ?? {}), ...Object.keys(pair.after ?? {})]);
  return [...names].map((name) => [name, childPair(pair, name)]);
}

/**
 * Finds the keywords whose values differ, but for those that are compared elsewhere and annotations such as
 * `description`. Each is reported as a break, since it may be one. `effect` ends the message.
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
