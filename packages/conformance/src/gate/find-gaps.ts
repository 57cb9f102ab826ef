// Finds the gaps of a run: what the contract declares and no case produced.
import { isExpectedGap, isWaived } from '../report/expected-gaps';
import type { Item } from '../report/item';
import type { Suite } from '../suite';

/** A declared item, at one status if it is part of a reply. */
export interface Part {
  /** Method and path; empty for items of the whole contract. */
  readonly operation: string;
  readonly status: string | undefined;
  readonly kind: Item['kind'];
  readonly name: string;
}

export interface Parts {
  readonly produced: readonly Part[];
  readonly gaps: readonly Part[];
}

/** @param unbuilt the ids of operations without a handler: what needs one is no gap */
export function findGaps(
  { model, coverage, level }: Pick<Suite, 'model' | 'coverage' | 'level'>,
  unbuilt: ReadonlySet<string>,
): Parts {
  // Patterns split at spaces, so a path must have none.
  const requests = new Map(
    model.operations.map(({ id, method, path }) => [id, `${method} ${path.replaceAll(' ', '%20')}`]),
  );
  // One item may be declared at several statuses: a part for each, but for those that no case has to produce.
  const toParts = ({ operation, kind, places }: Item): Part[] =>
    places
      .filter((place) => !isWaived(place))
      .map(({ status, name }) => ({ operation: requests.get(operation) ?? '', status, kind, name }));
  // Classes of cases count only at the strict level. What is undeclared is no gap; the oracle reports that.
  const isCounted = ({ isDeclared, kind }: Item): boolean => isDeclared && (level === 'strict' || kind !== 'class');
  const declared = coverage.list().filter(isCounted);
  const gaps = declared.filter((item) => item.count === 0 && !isExpectedGap(model, unbuilt, item)).flatMap(toParts);
  const produced = declared.filter(({ count }) => count > 0).flatMap(toParts);
  const seenReplies = new Set(produced.filter(({ kind }) => kind === 'reply').map(replyOf));
  // Parts without a status belong to requests.
  const hasReply = (part: Part): boolean => part.status === undefined || seenReplies.has(replyOf(part));
  return {
    // An item that several statuses share counts only for the statuses that occurred.
    produced: produced.filter(hasReply),
    gaps: removeConsequences(gaps, hasReply),
  };
}

// Removes gaps that follow from another gap: parts of a reply that did not occur, and types of a part that was absent.
function removeConsequences(gaps: readonly Part[], hasReply: (part: Part) => boolean): Part[] {
  const keyOf = (gap: Part, name: string): string => `${replyOf(gap)} ${name}`;
  const keys = new Set(gaps.map((gap) => keyOf(gap, gap.name)));
  return gaps.filter((gap) => {
    if (gap.kind === 'reply') return true;
    // The gap `header etag, of type string` follows from the gap `header etag, present`.
    const presence = gap.name.replace(/, of type \w+$/, ', present');
    const isAbsent = presence !== gap.name && keys.has(keyOf(gap, presence));
    return hasReply(gap) && !isAbsent;
  });
}

function replyOf({ operation, status = '' }: Part): string {
  return `${operation} ${status}`;
}

/** The text that patterns are matched with, such as `GET /books 200 reply property application/json title, present`. */
export function nameOf({ operation, status = '', kind, name }: Part): string {
  return [operation, status, kind, name].filter((text) => text !== '').join(' ');
}
