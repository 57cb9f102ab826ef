// What the handlers throw that `npm run generate` writes.
const MESSAGE = 'not built yet';

/** Whether an error comes from a handler that was generated and that nobody has written yet. */
export function isNotBuilt(cause: unknown): boolean {
  return cause instanceof Error && cause.message === MESSAGE;
}
