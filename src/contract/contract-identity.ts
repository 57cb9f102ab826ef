import { createHash } from 'node:crypto';
import type { Contract } from './load-contract';

/** Which contract a service enforces, for those who run it. */
export interface ContractIdentity {
  /** `info.version`. */
  readonly version: string;
  /** Of the contract's bytes, 64 hexadecimal digits, as sha256sum prints them. */
  readonly sha256: string;
}

/** Tells a contract from all others. */
export function identify({ source, document }: Pick<Contract, 'source' | 'document'>): ContractIdentity {
  return { version: document.info.version, sha256: createHash('sha256').update(source).digest('hex') };
}
