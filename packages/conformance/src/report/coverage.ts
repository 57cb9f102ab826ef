// Counts what cases produced of a contract.
import type { Model } from '../contract/model';
import type { Level } from '../level';
import type { CaseResult } from '../run-case';
import { declaredItems } from './declared-items';
import { toItemKey, type Declared, type Item } from './item';
import { producedItems } from './produced-items';

/** How often cases produced each part of a contract. */
export interface Coverage {
  readonly record: (result: CaseResult) => void;
  /** Everything that is declared, and everything that was produced undeclared. */
  readonly list: () => Item[];
}

/**
 * Starts counting how often cases produce each item of a contract: a reply, a tested rule, an error number.
 *
 * @param level only what cases of this level can produce counts as declared
 */
export function createCoverage(model: Model, level: Level = 'strict'): Coverage {
  const declared = declaredItems(model, level);
  const counts = new Map<string, number>();

  return {
    record: (result) => {
      for (const item of producedItems(model, result)) {
        const key = toItemKey(item);
        // An undeclared reply is a gap. A rule or class that is not declared is none: no case has to test it.
        const isCounted = declared.has(key) || !['rule', 'class'].includes(item.kind);
        if (isCounted) counts.set(key, (counts.get(key) ?? 0) + 1);
      }
    },
    list: () =>
      [...new Set([...declared.keys(), ...counts.keys()])].map((key) => ({
        ...(declared.get(key) ?? toUndeclared(key)),
        isDeclared: declared.has(key),
        count: counts.get(key) ?? 0,
      })),
  };
}

// An item that is not declared, read back from its key (`toItemKey`).
function toUndeclared(key: string): Declared {
  const [operation = '', kind, name = ''] = key.split('\n');
  return { operation, kind: kind as Item['kind'], name, places: [{ status: undefined, name, isOptional: false }] };
}
