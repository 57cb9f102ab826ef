import type { Case } from '../case';
import type { Operation } from '../contract/model';
import { findReply } from './judge';

/** Whether the status is a documented one of the class that is expected. */
export function judgeStatus(operation: Operation, one: Case, status: number): string[] {
  const wanted = describeWanted(operation, one);
  const isDeclared = findReply(operation, status) !== undefined;
  if (!wanted.allows(status)) return [`the status is ${String(status)}, not ${wanted.words}`];
  if (!isDeclared && !wanted.isProtocol) return [`the status ${String(status)} is not declared`];
  return [];
}

interface Wanted {
  readonly words: string;
  readonly allows: (status: number) => boolean;
  /** It need not be declared, since it is HTTP's. */
  readonly isProtocol?: boolean;
}

function describeWanted(operation: Operation, one: Case): Wanted {
  const { parameters, method } = operation;
  const isDeclared = (status: number): boolean => findReply(operation, status) !== undefined;
  const hasPath = parameters.some((parameter) => parameter.in === 'path');
  switch (one.expect) {
    case 'accepted': {
      // What there is depends on what went before.
      const states = [...(hasPath ? [404, 410] : []), ...(method === 'GET' ? [] : [409, 412])].filter(isDeclared);
      return {
        words: ['a success', ...states].join(' or '),
        allows: (status) => (status >= 200 && status < 300) || states.includes(status),
      };
    }
    case 'refused': {
      const others = one.class === 'auth' ? [] : [401, 403, 405];
      const missing = one.class === 'parameter' && hasPath ? [] : [404];
      return {
        words: 'a refusal of the request',
        allows: (status) => status >= 400 && status < 500 && ![...others, ...missing].includes(status),
      };
    }
    case 'no credentials':
    case 'wrong credentials':
      return { words: '401', allows: (status) => status === 401 };
    case 'unknown path':
      return { words: '404', allows: (status) => status === 404, isProtocol: true };
    case 'unknown method':
      return { words: '405', allows: (status) => status === 405, isProtocol: true };
    case 'failed':
      return { words: '500', allows: (status) => status === 500 };
    case 'not built':
      return { words: '501 or 503', allows: (status) => status === 501 || status === 503 };
    case 'unavailable':
      return { words: '503', allows: (status) => status === 503 };
  }
}
