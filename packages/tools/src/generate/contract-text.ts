// Writes what a contract says into code, comments and Markdown, where it is data whatever it says.

/** Writes a value as a literal of JavaScript. U+2028 and U+2029 end a line for some readers of code. */
export function toLiteral(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'));
}

/** Writes the members of an object literal, from their code by name. */
export function toMembers(members: Iterable<readonly [name: string, code: string]>): string {
  // Without brackets, `__proto__` would be the prototype.
  const toKey = (name: string): string => (name === '__proto__' ? `["__proto__"]` : toLiteral(name));
  return [...members].map(([name, code]) => `${toKey(name)}: ${code}`).join(', ');
}

/** Writes a path as in a request, so that it ends no comment, no line, and no code or cell of Markdown. */
export function toRequestText(path: string): string {
  return path.replace(/\*\/|[\s\p{Cc}`|\\]/gu, (found) => (found === '*/' ? '%2A/' : encodeURIComponent(found)));
}

/** Writes a text as one line of Markdown without any markup. */
export function toMarkdown(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  // At the start, a list, a quote or a line under a heading.
  return line.replace(/[\\`*_{[\]<|~#$]|&(?=[\w#])/g, '\\$&').replace(/^(\d*)([-+.)=:>])/, '$1\\$2');
}
