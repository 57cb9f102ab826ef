// Decides whether a request is small enough to look for all of its wrong fields.
const MAX_CHARACTERS = 65_536;
const MAX_VALUES = 1_000;

/** Whether a value has less than 64 kB of names and strings, and at most a thousand values: validating it again is cheap. */
export function isSmall(value: unknown): boolean {
  // A list, not recursion: a value may be nested deeper than the stack.
  const values = [value];
  let characters = 0;
  // The loop goes on with the members that are added during it. Bytes count as one value.
  for (const item of values) {
    if (typeof item === 'string') characters += item.length;
    else if (typeof item === 'object' && item !== null && !ArrayBuffer.isView(item)) {
      const members: unknown[] = Object.values(item);
      if (values.length + members.length > MAX_VALUES) return false;
      values.push(...members);
      if (!Array.isArray(item)) characters += Object.keys(item).join('').length;
    }
    if (characters >= MAX_CHARACTERS) return false;
  }
  return true;
}
