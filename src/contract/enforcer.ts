import { createEnforcement, type Enforcement } from './enforcement';
import { toDocument, toEnforceable } from './enforceable';
import type { Contract } from './load-contract';
import type { Operation } from './operation';
import { createValidator, type SecurityHandlers, type Validator } from './validator';

// The validator's own start takes some milliseconds, and what it compiles takes longer the more is in its document.
const OPERATIONS_PER_VALIDATOR = 10;

/**
 * Puts the operations of a contract to validators, some to each.
 *
 * @returns what enforces one of them
 */
export function createEnforcer(
  { document, operations }: Contract,
  handlers: SecurityHandlers,
): (operation: Operation) => Promise<Enforcement> {
  const enforceables = operations.map((operation, index) => toEnforceable(operation, index));
  const validators = new Map<number, Validator>();

  function validatorOf(group: number): Validator {
    const first = group * OPERATIONS_PER_VALIDATOR;
    const some = enforceables.slice(first, first + OPERATIONS_PER_VALIDATOR);
    const validator = validators.get(group) ?? createValidator(toDocument(document, some), handlers);
    validators.set(group, validator);
    return validator;
  }

  return (operation) => {
    const index = operations.indexOf(operation);
    const enforceable = enforceables[index] ?? toEnforceable(operation, index);
    return createEnforcement(validatorOf(Math.floor(index / OPERATIONS_PER_VALIDATOR)), enforceable);
  };
}
