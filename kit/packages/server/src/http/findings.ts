// Reports mismatches with the contract that are not refused: in watched messages, and in replies that are sent anyway.
import { limitPerSecond, type Log } from './request-log';

/** A field of a request or a reply that does not match the contract. */
export interface Finding {
  /** The operationId. */
  readonly operation: string;
  readonly message: 'request' | 'reply';
  /** The status of the reply, even if the finding is about the request. */
  readonly status: number;
  /** The keyword of the schema, or the kit's own name, which docs/from-express-openapi-validator.md explains. */
  readonly rule: string;
  /** A pointer such as `/body/tags/*`, where `*` is an index or an undeclared name; `res.send` for the rule `wrapped`. */
  readonly place: string;
  /** A message such as `request/body/tags/0 must be string`. It may contain names chosen by the client. */
  readonly detail: string;
}

/** Called for each finding, after the reply. */
export type FindingReport = (finding: Finding) => void;

const MAX_LOGGED = 5;

/** Logs at most five findings a second, without anything chosen by a client. */
export function createFindingLog(log: Log): FindingReport {
  const limited = limitPerSecond<string>(MAX_LOGGED, (msg, findings) => {
    log.warn({ findings }, msg);
  });
  return ({ operation, message, status, rule, place }) => {
    limited('findings without a log line', () => {
      log.warn({ operation, message, status, rule, place }, 'not as the contract says');
    });
  };
}
