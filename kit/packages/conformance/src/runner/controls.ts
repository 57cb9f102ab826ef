// Repeats valid requests that the server has accepted, to see whether it still does.
import { isSafeMethod, operationOf, type Model, type Operation } from '../contract/model';
import type { Target } from '../exchange/exchange';
import { findSuccess } from '../exchange/proof';
import { titleOf, type Case } from '../generators/case';
import type { CaseResult } from '../oracle/checks';
import type { Bases } from '../stateful/bases';

export type Job = () => Promise<readonly CaseResult[]>;

// A control follows this many cases; the operations take turns.
const INTERVAL = 12;

/** Sends a valid request of each operation, and then the cases, with valid requests repeated now and then. */
export function planJobs(model: Model, cases: readonly Case[], bases: Bases): Job[] {
  const operations = [...new Set(cases.map((testCase) => operationOf(model, testCase)))];
  return [
    ...operations.map((operation) => () => bases.controlsOf(operation)),
    ...cases.flatMap((testCase, index): Job[] => {
      const job: Job = async () => [await bases.run(testCase)];
      const turn = (index + 1) / INTERVAL;
      const next = Number.isInteger(turn) ? operations[turn % operations.length] : undefined;
      return next ? [job, () => bases.repeat(next)] : [job];
    }),
  ];
}

/** Finds the request after which the server stopped accepting a valid one. */
export class ControlLog {
  readonly #model: Model;
  readonly #target: Target;
  /** For each operation, the number of results before the last success, and before the first refusal after it. */
  readonly #successes = new Map<Operation, { readonly last: number; refused?: number }>();
  readonly #changes: { readonly index: number; readonly operation: Operation; readonly title: string }[] = [];
  #count = 0;

  constructor(model: Model, target: Target) {
    this.#model = model;
    this.#target = target;
  }

  /** Adds a reason to a control that the server accepted before and does not accept now. */
  note(result: CaseResult): CaseResult {
    const operation = operationOf(this.#model, result.case);
    const index = this.#count++;
    const earlier = this.#successes.get(operation);
    const isAccepted = findSuccess(operation, this.#target, result) !== undefined;
    const isDone = result.replies.some(({ status }) => status < 300);
    if (isDone && !isSafeMethod(operation)) this.#changes.push({ index, operation, title: titleOf(result.case) });
    if (isAccepted) this.#successes.set(operation, { last: index });
    else if (earlier && result.case.expect === 'accepted' && result.findings.length === 0) earlier.refused ??= index;
    if (isAccepted || !earlier || result.case.class !== 'control' || result.unproven !== undefined) return result;
    const { last, refused = index } = earlier;
    const titles = this.#changes.flatMap((change) =>
      change.index > last && change.index < refused && change.operation !== operation ? [change.title] : [],
    );
    const status = String(result.replies[0]?.status ?? 'nothing');
    const since = titles.length > 0 ? `, since ${describe(titles)}` : '';
    const unproven = `the server answers ${status} to a valid request to ${operation.id} that it accepted before${since}`;
    return { ...result, unproven };
  }
}

function describe(titles: readonly string[]): string {
  const [first = '', ...laterTitles] = titles;
  const last = laterTitles.at(-1);
  return last === undefined
    ? `the request "${first}"`
    : `one of ${String(titles.length)} requests, from "${first}" to "${last}"`;
}
