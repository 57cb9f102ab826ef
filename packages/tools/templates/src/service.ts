import type { Service } from '@contract-kit/server';
import type { Verifiers } from '../generated/handlers';
import { createApp } from './app';
import { handlers } from './handlers';
import * as renderErrors from './render-error';

/** What this service adds to its contract. */
export const service: Service<object> = {
  title: '{{title}}',
  example: {
    purpose: '{{purpose}}',
    path: '{{path}}',
    options: '{{options}}',
  },
  // Add a setting as { limit: setting('LIMIT', 10, parseLimit) }: parseLimit throws an Error that says what is wrong.
  readSettings: () => ({}),
  describe: () => ({}),
  // `bearer` accepts the tokens of the settings, for one scheme. `() => undefined` accepts nobody: replace it with a
  // verifier, such as createTokenVerifier(['a-key-of-16-or-more']).
  createVerifiers: (bearer): Verifiers => ({ account: bearer, till: () => undefined }),
  createApp,
  ...renderErrors,
  // Tells which errors are temporary. The client gets 503 for these, and may try again later.
  isUnavailable: () => false,
  // Opens what the handlers share, checks its health, and closes it after the last request.
  open: () => Promise.resolve({ handlers, check: () => Promise.resolve(), close: () => Promise.resolve() }),
};
