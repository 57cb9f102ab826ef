import { createHash } from 'node:crypto';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadContract, type Contract } from '@contract-kit/contract';

/** Loads a contract from its text, as if generated/ had been made from it. */
export function loadText(source: string): Contract {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'contract-'));
  const file = join(folder.path, 'contract.yaml');
  writeFileSync(file, source);
  return loadContract(file, createHash('sha256').update(source).digest('hex'));
}

/**
 * A copy of a document with other values at some places.
 *
 * @param changes values by JSON pointer; undefined removes what is there, and a `-` at the end appends to an array
 */
export function patch<T>(document: T, changes: Readonly<Record<string, unknown>>): T {
  const copy = structuredClone(document);
  for (const [pointer, value] of Object.entries(changes)) {
    const keys = pointer.split('/').map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'));
    const last = String(keys.pop());
    const parent = keys.slice(1).reduce<unknown>((node, key) => {
      const child = (node as Record<string, unknown>)[key];
      if (typeof child !== 'object' || child === null) throw new Error(`${pointer} leads nowhere`);
      return child;
    }, copy) as Record<string, unknown>;
    if (Array.isArray(parent) && last === '-') parent.push(structuredClone(value));
    else if (value === undefined) Reflect.deleteProperty(parent, last);
    else parent[last] = structuredClone(value);
  }
  return copy;
}
