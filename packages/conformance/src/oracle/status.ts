import type { Case } from '../case';
import { findReply, type Operation } from '../contract/model';
import { toFindings, type CheckName, type Finding } from './checks';

/**
 * Whether a status is right for a valid request: a success, or a declared status that depends on the state, such as
 * 404.
 */
export function isAccepted(operation: Operation, status: number): boolean {
  return (status >= 200 && status < 300) || statusesOfState(operation).includes(status);
}

/** Judges the status: it must be of the expected class, and declared. */
export function judgeStatus(operation: Operation, testCase: Case, status: number): Finding[] {
  const wanted = describeWanted(operation, testCase);
  if (!wanted.allows(status)) {
    return toFindings(checkOf(testCase, status), [`the status is ${String(status)}, not ${wanted.words}`]);
  }
  if (wanted.isProtocol || NOT_OF_OPERATION.has(status) || findReply(operation, status)) return [];
  return toFindings(status < 400 ? 'success undeclared' : 'status undeclared', [
    `the status ${String(status)} is not declared`,
  ]);
}

// These are for requests that never reach an operation (RFC 9110 section 15.5.9, RFC 6585 section 5).
const NOT_OF_OPERATION = new Set([408, 431]);
// These 5xx are no failures: not implemented, unavailable, unsupported HTTP version.
const NO_FAILURES = new Set([501, 503, 505]);
// These 4xx may answer a valid request: they depend on the state, the caller or the rate.
const STATES = new Set([403, 404, 409, 410, 412, 428, 429]);

// Requests that must not be authorized.
const UNAUTHORIZED = new Set<Case['expect']>(['no credentials', 'wrong credentials', 'insufficient scope']);

// The check that an unexpected status fails.
function checkOf({ expect, class: kind, request }: Case, status: number): CheckName {
  if (['failed', 'unavailable', 'not built'].includes(expect)) return 'status';
  if (status >= 500) return NO_FAILURES.has(status) ? 'status' : 'server error';
  const isSuccess = status >= 200 && status < 300;
  // RFC 9112 section 6.3: a server may want a Content-Length.
  if (status === 411 && request.framing === 'chunked') return 'status';
  if (expect === 'accepted') return status >= 400 && !STATES.has(status) ? 'right refused' : 'status';
  if (!isSuccess) return 'status';
  if (expect === 'refused') return kind === 'malformed' ? 'malformed accepted' : 'wrong accepted';
  return UNAUTHORIZED.has(expect) ? 'nobody accepted' : 'status';
}

interface Wanted {
  readonly words: string;
  readonly allows: (status: number) => boolean;
  /** It need not be declared, since HTTP defines it. */
  readonly isProtocol?: boolean;
}

// The statuses that an expectation allows, and how to say it.
function describeWanted(operation: Operation, testCase: Case): Wanted {
  switch (testCase.expect) {
    case 'accepted':
      return {
        words: ['a success', ...statusesOfState(operation)].join(' or '),
        allows: (status) => isAccepted(operation, status),
      };
    case 'refused': {
      const others = testCase.class === 'auth' ? [] : [401, 403, 405];
      const missing = testCase.class === 'parameter' && hasPath(operation) ? [] : [404];
      return {
        words: 'a refusal of the request',
        allows: (status) => status >= 400 && status < 500 && ![...others, ...missing].includes(status),
      };
    }
    case 'no credentials':
    case 'wrong credentials':
      return { words: '401', allows: (status) => status === 401 };
    case 'insufficient scope':
      return { words: '403', allows: (status) => status === 403 };
    case 'unknown path':
      return { words: '404', allows: (status) => status === 404, isProtocol: true };
    case 'unknown method':
      return { words: '405', allows: (status) => status === 405, isProtocol: true };
    case 'answered':
      return { words: 'below 500', allows: (status) => status < 500 || NO_FAILURES.has(status), isProtocol: true };
    case 'failed':
      return { words: '500', allows: (status) => status === 500 };
    case 'not built':
      return { words: '501 or 503', allows: (status) => status === 501 || status === 503 };
    case 'unavailable':
      return { words: '503', allows: (status) => status === 503 };
  }
}

// Declared statuses that depend on what exists.
function statusesOfState(operation: Operation): number[] {
  const states = [...(hasPath(operation) ? [404, 410] : []), ...(operation.method === 'GET' ? [] : [409, 412, 428])];
  return states.filter((status) => findReply(operation, status) !== undefined);
}

function hasPath({ parameters }: Operation): boolean {
  return parameters.some((parameter) => parameter.in === 'path');
}
