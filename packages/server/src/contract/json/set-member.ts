// Sets a member of an object whose names are a client's.
const ORDINARY_MEMBER = { enumerable: true, writable: true, configurable: true };

/** Sets a member of an object from JSON: an assignment to `__proto__` would set the prototype. */
export function setMember(object: Record<string, unknown>, name: string, value: unknown): void {
  if (name === '__proto__') Object.defineProperty(object, name, { ...ORDINARY_MEMBER, value });
  else object[name] = value;
}
