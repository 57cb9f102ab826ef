import { readFileSync } from 'node:fs';
import { createTokenVerifier } from '../../packages/server/src/auth/tokens';
import type { UntypedHandler } from '../../packages/server/src/pipeline/chain';
import { createCatalogueRenderer } from '../../packages/server/src/errors/create-renderer';
import { FIXTURE_ERRORS, FORBIDDEN } from '../support/fixture-errors';
import { loadText } from '../support/load-text';
import { serveApp, type ServedApp } from '../support/serve-app';

export const SECRET = 'a-secret-for-the-tests';

const succeed: UntypedHandler = (_, reply) => reply(204);
const HANDLERS: Readonly<Record<string, UntypedHandler>> = {
  listRevisions: ({ path }, reply) => reply(200, [{ identifier: path['departmentIdentifier'] }]),
  addRevision: (_, reply) => reply(201),
  readAll: (_, reply) => reply(200, { identifier: 1n }),
  replaceAll: succeed,
  changeAll: succeed,
  removeAll: succeed,
};

/** Serves a contract that is not ours, with its documentation. */
export function startArchive(): Promise<ServedApp> {
  return serveApp({
    contract: loadText(readFileSync('tests/fixtures/archive.yaml', 'utf8')),
    handlers: HANDLERS,
    verifiers: { signIn: createTokenVerifier([SECRET], ['read']), session: createTokenVerifier([SECRET]) },
    render: createCatalogueRenderer({ ...FIXTURE_ERRORS, FORBIDDEN }),
    isUnavailable: () => false,
    before: [],
  });
}
