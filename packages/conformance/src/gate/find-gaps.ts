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

/** The declared items that were produced, and those that were not. */
export interface Parts {
  readonly produced: readonly Part[];
  readonly gaps: readonly Part[];
}

/** @param unbuilt operations without a handler */
export function findGaps(
  { model, coverage, level }: Pick<Suite, 'model' | 'coverage' | 'level'>,
  unbuilt: ReadonlySet<string>,
): Parts {
  const requests = new Map(
    model.operations.map(({ id, method, path }) => [id, `${method} ${path.replaceAll(' ', '%20')}`]),
  );
  const toParts = ({ operation, kind, places }: Item): Part[] =>
    places
      .filter((place) => !isWaived(place))
      .map(({ status, name }) => ({ operation: requests.get(operation) ?? '', status, kind, name }));
  // Classes count only at the strict level; the oracle reports what is undeclared.
  const isCounted = ({ isDeclared, kind }: Item): boolean => isDeclared && (level === 'strict' || kind !== 'class');
  const declared = coverage.list().filter(isCounted);
  const gaps = declared.filter((item) => item.count === 0 && !isExpectedGap(model, unbuilt, item));
  const produced = declared.filter(({ count }) => count > 0).flatMap(toParts);
  const answered = new Set(produced.filter(({ kind }) => kind === 'reply').map(replyOf));
  const isAnswered = (part: Part): boolean => part.status === undefined || answered.has(replyOf(part));
  return {
    // An item that several statuses share counts only for the statuses that occurred.
    produced: produced.filter(isAnswered),
    gaps: findRoots(gaps.flatMap(toParts), isAnswered),
  };
}

/**
 * Removes gaps that follow from another one: the parts of a reply that did not occur, and the types of a part that was
 * absent.
 */
function findRoots(gaps: readonly Part[], isAnswered: (part: Part) => boolean): Part[] {
  const absent = new Set(gaps.map((gap) => [replyOf(gap), gap.name].join(' ')));
  return gaps.filter((gap) => {
    const part = gap.name.replace(/, of type \w+$/, ', present');
    return (
      gap.kind === 'reply' || (isAnswered(gap) && (part === gap.name || !absent.has([replyOf(gap), part].join(' '))))
    );
  });
}

function replyOf({ operation, status = '' }: Part): string {
  return `${operation} ${status}`;
}

/** The text that patterns are matched with. */
export function nameOf({ operation, status = '', kind, name }: Part): string {
  return [operation, status, kind, name].filter((text) => text !== '').join(' ');
}
