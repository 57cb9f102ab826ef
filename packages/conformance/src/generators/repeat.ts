// Cases that send the same request again.
import type { Case } from '../case';
import type { Operation } from '../contract/model';
import type { Values } from '../values/variant';
import { validRequest } from './valid-request';

/** Creates cases that send one valid request `times` times at once: all replies must be the same. */
export function createRepeatCases(values: Values, operation: Operation): Case[] {
  return [2, 16].map((times) => ({
    operation: operation.id,
    class: 'repeat',
    pointer: operation.pointer,
    label: times === 2 ? 'once more' : `${String(times)} times at once`,
    request: validRequest(values, operation),
    expect: 'accepted',
    times,
  }));
}
