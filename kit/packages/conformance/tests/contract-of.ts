/** A contract of one path item at /a, which is written as it stands. */
export function contractOf(item: string, { version = '3.1.0', more = '' } = {}): string {
  return `openapi: ${version}\ninfo: { title: A, version: 1.0.0 }\npaths:\n  /a: ${item}\n${more}`;
}
