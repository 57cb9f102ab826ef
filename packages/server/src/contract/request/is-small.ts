// Tells whether a value is worth a second look.
const MAX_CHARACTERS = 65_536;
const MAX_VALUES = 1_000;

/** Whether a value has less than 64 kB of names and texts, and at most a thousand values: a second look at it is cheap. */
export function isSmall(value: unknown): boolean {
  // A list, not recursion: a value may be nested deeper than the stack.
  const values = [value];
  let characters = 0;
  for (const one of values) {
    if (typeof one === 'string') characters += one.length;
    else if (typeof one === 'object' && one !== null && !ArrayBuffer.isView(one)) {
      const members: unknown[] = Object.values(one);
      if (values.length + members.length > MAX_VALUES) return false;
      values.push(...members);
      if (!Array.isArray(one)) characters += Object.keys(one).join('').length;
    }
    if (characters >= MAX_CHARACTERS) return false;
  }
  return true;
}
