// Sends a valid request as a case of its own, and judges the reply.
import type { Case } from '../case';
import type { Operation } from '../contract/model';
import { runCase, type CaseResult, type Tools } from '../run-case';
import type { WireRequest } from '../wire/request';

/** @param label says in reports what the request is for, such as `read it` */
export function sendValid(
  { oracle, target }: Tools,
  operation: Operation,
  request: WireRequest,
  label: string,
): Promise<CaseResult> {
  const testCase: Case = {
    operation: operation.id,
    class: 'stateful',
    pointer: operation.pointer,
    label,
    request,
    expect: 'accepted',
  };
  return runCase(oracle, target, testCase);
}
