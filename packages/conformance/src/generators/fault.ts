// Creates cases for failures of the server itself.
import type { Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { validRequest } from './valid-request';

/**
 * Creates cases for failures of the server itself. Each is sent while a test keeps the server in a `situation`: `broken`
 * (handlers throw), `away` (its database is unavailable) or `impatient` (its timeouts are short).
 */
export function createFaultCases(values: Values, operation: Operation): Case[] {
  const request = validRequest(values, operation);
  const common = { operation: operation.id, class: 'fault', pointer: operation.pointer, covers: [] } as const;
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
