// Closes what was opened, in reverse order.

/** Something that was opened. */
export interface Closable {
  close(): unknown;
}

/** Closes all, the last one first. */
export async function closeAll(closing: readonly Closable[]): Promise<void> {
  for (const one of closing.toReversed()) await one.close();
}
