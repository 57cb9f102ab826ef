// Reports mismatches with the contract that are not refused, because a message is only watched or a reply is sent anyway.
import { limitPerSecond, type Log } from './request-log';

/** A field of a request or a reply that does not match the contract. */
export interface Finding {
  /** The operationId. */
  readonly operation: string;
  readonly message: 'request' | 'reply';
  /** The status of the reply, even for a finding in the request. */
  readonly status: number;
  /** A schema keyword, or the kit's own name for a rule; see docs/from-express-openapi-validator.md. */
  readonly rule: string;
  /** A pointer such as `/body/tags/*`, where `*` is any index or undeclared name. For the rule `wrapped`, it is `res.send`. */
  readonly place: string;
  /** A message such as `request/body/tags/0 must be string`. It can contain names from the client. */
  readonly detail: string;
}

/** Called for each finding, after the reply. */
export type FindingReport = (finding: Finding) => void;

const MAX_LOGGED = 5;

/** Logs at most five findings per second, without anything from the client. */
export function createFindingLog(log: Log): FindingReport {
  const runRateLimited = limitPerSecond<string>(MAX_LOGGED, (msg, findings) => {
    log.warn({ findings }, msg);
  });
  return ({ operation, message, status, rule, place }) => {
    runRateLimited('findings without a log line', () => {
      log.warn({ operation, message, status, rule, place }, 'not as the contract says');
    });
  };
}
