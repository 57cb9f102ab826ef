// Closes what was opened, in reverse order.

export interface Closable {
  close(): unknown;
}

export async function closeAll(closing: readonly Closable[]): Promise<void> {
  for (const one of closing.toReversed()) await one.close();
}
