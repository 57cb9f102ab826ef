// What is not as the contract says where nothing is refused: in messages that are watched, and in replies that are sent anyway.
import { limitPerSecond, type Log } from './request-log';

/** A field of a request or a reply that is not as the contract says. */
export interface Finding {
  /** The operationId. */
  readonly operation: string;
  readonly message: 'request' | 'reply';
  /** The status of the reply, whichever of the two is wrong. */
  readonly status: number;
  /** The keyword of the schema or the kit's own word, which docs/from-express-openapi-validator.md explains. */
  readonly rule: string;
  /** A pointer such as `/body/tags/*`, where `*` is an index or a name that is not declared; `res.send` of the rule `wrapped`. */
  readonly place: string;
  /** For people, such as `request/body/tags/0 must be string`. Names in it may be the client's. */
  readonly detail: string;
}

/** Called for each finding, after the reply. */
export type FindingReport = (finding: Finding) => void;

const MAX_LOGGED = 5;

/** Logs at most five findings a second, without what a client chose. */
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
