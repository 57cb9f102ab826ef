// The names of properties that every object of JavaScript has, such as `constructor`.
import { Mistake } from './mistake';

export const INHERITED_NAMES: readonly string[] = Object.getOwnPropertyNames(Object.prototype);

/**
 * Asserts that the validator can enforce a declared name of a property or parameter.
 *
 * @param owner what is named in the mistake
 * @throws Mistake for `__proto__`, and for an inherited name with a default, which it would not fill in
 */
export function assertName(owner: object, name: string, schema: { readonly default?: unknown } = {}): void {
  if (name === '__proto__') throw new Mistake(owner, 'no schema of __proto__ can be enforced: leave it out');
  if (schema.default === undefined || !INHERITED_NAMES.includes(name)) return;
  throw new Mistake(owner, `the default of ${name} would not be filled in: every object has this name already`);
}
