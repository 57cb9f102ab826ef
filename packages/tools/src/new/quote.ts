/** A text as a word of a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** The same for a path, which needs no quotes where it has no sign that a shell reads. */
export function quotePath(path: string): string {
  return /^[\w./~%-]*$/.test(path) ? path : quote(path);
}
