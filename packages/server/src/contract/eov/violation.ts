import type { FoundFault } from '../refusal/fault';

/** A message is not valid under the contract. */
export class Violation extends Error {
  /** The first wrong field, or of alternatives what is wrong under each. */
  readonly faults: readonly FoundFault[];

  constructor(faults: readonly FoundFault[]) {
    super(faults.map(({ message }) => message).join(', '));
    this.faults = faults;
  }
}
