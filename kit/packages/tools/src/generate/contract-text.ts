// Escapes text from a contract for code, comments and Markdown.

/** Returns a value as a JavaScript literal. Escapes U+2028 and U+2029, which some tools read as line ends. */
export function toLiteral(value: unknown): string {
  return JSON.stringify(value).replace(/[\u2028\u2029]/g, (end) => (end === '\u2028' ? '\\u2028' : '\\u2029'));
}

/** Returns the members of an object literal as code. */
export function toMembers(members: Iterable<readonly [name: string, code: string]>): string {
  // Without brackets, `__proto__` would set the prototype.
  const toKey = (name: string): string => (name === '__proto__' ? `["__proto__"]` : toLiteral(name));
  return [...members].map(([name, code]) => `${toKey(name)}: ${code}`).join(', ');
}

/** Encodes a path so that it cannot end a comment, a line, a code span or a table cell. */
export function toRequestText(path: string): string {
  return path.replace(/\*\/|[\s\p{Cc}`|\\]/gu, (match) => (match === '*/' ? '%2A/' : encodeURIComponent(match)));
}

/** Converts text to one line of Markdown. */
export function toMarkdown(text: string): string {
  const line = text.replace(/[\s\p{Cc}]+/gu, ' ').trim();
  // The last pattern matches what would begin a list, a quote or a heading.
  return line.replace(/[\\`*_{[\]<|~#$]|&(?=[\w#])/g, '\\$&').replace(/^(\d*)([-+.)=:>])/, '$1\\$2');
}
