import type { Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { validRequest } from './valid-request';

/** Creates cases for failures of the server itself, which a test has to cause (`Situation`). */
export function createFaultCases(values: Values, operation: Operation): Case[] {
  const request = validRequest(values, operation);
  const common = { operation: operation.id, class: 'fault', pointer: operation.pointer, covers: [] } as const;
  return [
    { ...common, label: 'what it works with is broken', request, expect: 'failed', situation: 'broken' },
    { ...common, label: 'what it works with is away', request, expect: 'unavailable', situation: 'away' },
    {
      ...common,
      label: 'the client is too slow for it',
      request: { ...request, bend: (head) => head.slice(0, -2), body: undefined, framing: 'none' },
      expect: 'refused',
      situation: 'impatient',
    },
  ];
}
