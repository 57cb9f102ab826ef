import { isExpectedGap, isWaived } from '../report/expected-gaps';
import type { Item } from '../report/item';
import type { Suite } from '../suite';

/** Something that a contract declares, at one status if it is of a reply. */
export interface Part {
  /** Method and path; empty for what is not an operation's. */
  readonly operation: string;
  readonly status: string | undefined;
  readonly kind: Item['kind'];
  readonly name: string;
}

/** What a contract declares, by whether a case produced it, but for what no case has to. */
export interface Parts {
  readonly produced: readonly Part[];
  readonly gaps: readonly Part[];
}

/** @param unbuilt the operations that nobody has built yet */
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
  // What classes of cases there are is for house rules, and what is produced without being declared for the oracle.
  const isCounted = ({ isDeclared, kind }: Item): boolean => isDeclared && (level === 'strict' || kind !== 'class');
  const declared = coverage.list().filter(isCounted);
  const gaps = declared.filter((item) => item.count === 0 && !isExpectedGap(model, unbuilt, item));
  const produced = declared.filter(({ count }) => count > 0).flatMap(toParts);
  const answered = new Set(produced.filter(({ kind }) => kind === 'reply').map(replyOf));
  const isAnswered = (part: Part): boolean => part.status === undefined || answered.has(replyOf(part));
  return {
    // What several statuses share was seen with those that were answered.
    produced: produced.filter(isAnswered),
    gaps: findRoots(gaps.flatMap(toParts), isAnswered),
  };
}

/** Without what follows from another gap: the parts of a reply that was not there, and the types of such a part. */
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

/** What patterns are held against. */
export function nameOf({ operation, status = '', kind, name }: Part): string {
  return [operation, status, kind, name].filter((text) => text !== '').join(' ');
}
