/** The media type that a header or a contract names, without its parameters. */
export function essenceOf(type: string): string {
  return (type.split(';')[0] ?? '').trim().toLowerCase();
}
