// Creates cases for failures of the server itself.
import type { Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { validRequest } from './valid-request';

/** A test makes handlers throw (`broken`), the database unavailable (`away`) or timeouts short (`impatient`). */
export function createFaultCases(values: Values, operation: Operation): Case[] {
  const request = validRequest(values, operation);
  const common = { operation: operation.id, class: 'fault', pointer: operation.pointer } as const;
  // Without its last line break the head never ends, so the server waits for the rest until its timeout.
  const endlessHead = (head: string): string => head.slice(0, -2);
  return [
    { ...common, label: 'what it works with is broken', request, expect: 'failed', situation: 'broken' },
    { ...common, label: 'what it works with is away', request, expect: 'unavailable', situation: 'away' },
    {
      ...common,
      label: 'the client is too slow for it',
      request: { ...request, bend: endlessHead, body: undefined, framing: 'none' },
      expect: 'refused',
      situation: 'impatient',
    },
  ];
}
