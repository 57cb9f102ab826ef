import { createHash } from 'node:crypto';
import { mkdtempDisposableSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadContract, type Contract } from '../../packages/server/src/contract/operation/load-contract';

/** Loads a contract from its text, as if generated/ had been made from it. */
export function loadText(source: string): Contract {
  using folder = mkdtempDisposableSync(join(tmpdir(), 'contract-'));
  const file = join(folder.path, 'contract.yaml');
  writeFileSync(file, source);
  return loadContract(file, createHash('sha256').update(source).digest('hex'));
}
