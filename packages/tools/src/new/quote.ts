/** Quotes a text for a shell. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

/** Quotes a path for a shell, unless it has only characters that mean nothing to a shell. */
export function quotePath(path: string): string {
  return /^[\w./~%-]*$/.test(path) ? path : quote(path);
}
