import type { Draft } from './case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { validRequest } from './valid-request';

/** A test makes handlers throw (`broken`), stops the database (`away`) or shortens timeouts (`impatient`). */
export function createFaultCases(values: Values, operation: Operation): Draft[] {
  const request = validRequest(values, operation);
  const { pointer } = operation;
  // Without its last line break, the head never ends, so the server waits until its timeout.
  const omitHeadTerminator = (head: string): string => head.slice(0, -2);
  return [
    { pointer, label: 'a dependency fails', request, expect: 'failed', situation: 'broken' },
    { pointer, label: 'a dependency is unavailable', request, expect: 'unavailable', situation: 'away' },
    {
      pointer,
      label: 'the client is too slow',
      request: { ...request, changeHead: omitHeadTerminator, body: undefined, framing: 'none' },
      expect: 'refused',
      situation: 'impatient',
    },
  ];
}
