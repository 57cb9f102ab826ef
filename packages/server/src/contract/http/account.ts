// The account of a request: its id, its times, and its one report.
import type { ServerResponse } from 'node:http';
import { performance } from 'node:perf_hooks';
import type { Refusal } from '../refusal/refusal';
import type { Outcome, Report } from './outcome';
import { requestIdOf } from './request-id';

interface Details extends Pick<Outcome, 'path' | 'operation' | 'refusal'> {
  /** Where there may be no reply that has it: the client may be gone. */
  readonly status?: number | undefined;
}

// A WeakMap would cost each request a tenth of its time.
const ACCOUNT = Symbol('account');

/** The account of a request, begun when it is asked for first: one report, once the reply is over or the client is gone. */
export function accountOf(res: ServerResponse & { [ACCOUNT]?: Account | undefined }, report: Report): Account {
  const account = res[ACCOUNT] ?? new Account(res, report);
  res[ACCOUNT] = account;
  return account;
}

/** What is known of a request before it is reported. */
export class Account {
  /** Whether an operation is at work: the reply is up to it, and the report waits for it. */
  isServing = false;
  readonly #start = performance.now();
  readonly #res: ServerResponse;
  readonly #report: Report;
  #details: Details = {};
  #isReported = false;

  constructor(res: ServerResponse, report: Report) {
    this.#res = res;
    this.#report = report;
    // It is emitted once; once() would cost more.
    res.on('close', () => {
      if (!this.isServing) this.#tell();
    });
  }

  /** Keeps what else went wrong, for a request that is being served. */
  note(refusal: Refusal): void {
    this.#details = { refusal };
  }

  /** Tells what became of the request, once its reply is over. */
  settle(details: Details): void {
    this.isServing = false;
    this.#details = { ...details, refusal: details.refusal ?? this.#details.refusal };
    if (this.#res.closed) this.#tell();
  }

  #tell(): void {
    if (this.#isReported) return;
    this.#isReported = true;
    const res = this.#res;
    const { path, operation, refusal, status = res.statusCode } = this.#details;
    this.#report({
      id: requestIdOf(res.req),
      method: res.req.method,
      path,
      operation,
      // Middleware may have answered before something else went wrong.
      status: res.headersSent ? res.statusCode : status,
      refusal,
      milliseconds: performance.now() - this.#start,
      isAborted: !res.writableFinished,
    });
  }
}
