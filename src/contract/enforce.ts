import { toEnforceable } from './enforceable';
import { createEnforcements, type Enforcement } from './enforcement';
import type { Contract } from './load-contract';
import type { Operation } from './operation';
import { createValidator, type SecurityHandlers } from './validator';

// A validator takes some 20 ms to start, and a request a nanosecond or two for each operation of its validator.
const OPERATIONS_PER_VALIDATOR = 25;

/**
 * Puts the operations of a contract to validators, some to each.
 *
 * @throws ContractError when an operation cannot be enforced
 */
export async function enforce(
  { document, operations }: Contract,
  handlers: SecurityHandlers,
): Promise<ReadonlyMap<Operation, Enforcement>> {
  const all: [Operation, Enforcement][] = [];
  for (let first = 0; first < operations.length; first += OPERATIONS_PER_VALIDATOR) {
    const enforceable = toEnforceable(document, operations.slice(first, first + OPERATIONS_PER_VALIDATOR));
    all.push(...(await createEnforcements(createValidator(enforceable.document, handlers), enforceable)));
  }
  return new Map(all);
}
