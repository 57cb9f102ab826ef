// Repeats valid requests that the server has accepted, to check that it still accepts them.
import { isSafeMethod, operationOf, type Model, type Operation } from '../contract/model';
import type { Target } from '../exchange/exchange';
import { findSuccess } from '../exchange/proof';
import { titleOf, type Case } from '../generators/case';
import type { CaseResult } from '../oracle/checks';
import type { Bases } from '../stateful/bases';

export type Job = () => Promise<readonly CaseResult[]>;

// Number of cases between two controls, which alternate between the operations.
const CASES_PER_CONTROL = 12;

/** Plans a valid request for each operation, and then the cases, with a valid request repeated now and then. */
export function planJobs(model: Model, cases: readonly Case[], bases: Bases): Job[] {
  const operations = [...new Set(cases.map((testCase) => operationOf(model, testCase)))];
  return [
    ...operations.map((operation) => () => bases.controlsOf(operation)),
    ...cases.flatMap((testCase, index): Job[] => {
      const job: Job = async () => [await bases.run(testCase)];
      const turn = (index + 1) / CASES_PER_CONTROL;
      const next = Number.isInteger(turn) ? operations[turn % operations.length] : undefined;
      return next ? [job, () => bases.repeat(next)] : [job];
    }),
  ];
}

/** Finds the requests that may have made the server refuse a valid request that it accepted before. */
export class ControlLog {
  readonly #model: Model;
  readonly #target: Target;
  /** For each operation, the indexes of the last success and of the first refusal after it. */
  readonly #successes = new Map<Operation, { readonly last: number; refused?: number }>();
  readonly #changes: { readonly index: number; readonly operation: Operation; readonly title: string }[] = [];
  #count = 0;

  constructor(model: Model, target: Target) {
    this.#model = model;
    this.#target = target;
  }

  /** Records a result. If the server no longer accepts a control, the returned result says since when. */
  record(result: CaseResult): CaseResult {
    const operation = operationOf(this.#model, result.case);
    const index = this.#count++;
    const history = this.#successes.get(operation);
    const isAccepted = findSuccess(operation, this.#target, result) !== undefined;
    const hasSucceeded = result.replies.some(({ status }) => status < 300);
    if (hasSucceeded && !isSafeMethod(operation)) this.#changes.push({ index, operation, title: titleOf(result.case) });
    if (isAccepted) this.#successes.set(operation, { last: index });
    else if (history && result.case.expect === 'accepted' && result.findings.length === 0) history.refused ??= index;
    if (isAccepted || !history || result.case.class !== 'control' || result.unproven !== undefined) return result;
    const { last, refused = index } = history;
    const titles = this.#changes.flatMap((change) =>
      change.index > last && change.index < refused && change.operation !== operation ? [change.title] : [],
    );
    const status = String(result.replies[0]?.status ?? 'nothing');
    const sinceNote = titles.length > 0 ? `, since ${describe(titles)}` : '';
    const unproven = `the server answers ${status} to a valid request to ${operation.id} that it accepted before${sinceNote}`;
    const findings = result.findings.map((finding) =>
      finding.check === 'valid-refused'
        ? { ...finding, text: `${finding.text}, although it was accepted before` }
        : finding,
    );
    return { ...result, findings, unproven };
  }
}

function describe(titles: readonly string[]): string {
  const [first = '', ...laterTitles] = titles;
  const last = laterTitles.at(-1);
  return last === undefined
    ? `the request "${first}"`
    : `one of ${String(titles.length)} requests, from "${first}" to "${last}"`;
}
