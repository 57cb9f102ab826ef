// Finds the references to files in a parsed file of a contract.
import { findOutside } from '@contract-kit/server/contract';
import { pointerTo } from '../check/problem';

/** A reference such as `./pet.yaml#/Pet`. */
export interface FileReference {
  readonly reference: string;
  /** The JSON pointer to its text. */
  readonly pointer: string;
}

/** Finds them in the order of the file. */
export function findFileReferences(parsed: unknown): FileReference[] {
  return Array.from(findOutside(parsed), ({ reference, keys }) => ({ reference, pointer: pointerTo('#', ...keys) }));
}
