import { readFileSync } from 'node:fs';
import type { UntypedHandler } from '../../packages/server/src/pipeline/pipeline';
import { serveText, type Served } from './serve-text';

/** A contract that the kit was not written for. */
export const NOTES = readFileSync('tests/fixtures/notes.yaml', 'utf8');

/** What the kit makes of that contract, or of a changed one, with handlers and a verifier of the test's. */
export function serveNotes(
  handlers: Record<string, UntypedHandler>,
  verify: (credentials: string) => boolean | Promise<boolean> = () => true,
  source: string = NOTES,
): Promise<Served> {
  const unused: UntypedHandler = () => {
    throw new Error('not this one');
  };
  return serveText(
    source,
    { listNotes: unused, putNotes: unused, maybeNote: unused, ...handlers },
    { bearerAuth: async (credentials) => ((await verify(credentials)) ? {} : undefined) },
  );
}
