import type { Service } from '@contract-kit/server';
import type { Verifiers } from '../generated/handlers';
import { createApp } from './app';
import { handlers } from './handlers';
import * as renderErrors from './render-error';

/** The parts of the service that the contract does not describe. */
export const service: Service<object> = {
  title: '{{title}}',
  example: {
    purpose: '{{purpose}}',
    path: '{{path}}',
    options: '{{options}}',
  },
  // Add settings like { limit: setting('LIMIT', 10, parseLimit) }, where parseLimit throws an Error for invalid text.
  readSettings: () => ({}),
  describe: () => ({}),
  // `bearer` accepts the tokens from the settings, for one scheme. `() => undefined` accepts nobody; replace it with a
  // verifier such as createTokenVerifier(['a-key-of-16-or-more']).
  createVerifiers: (bearer): Verifiers => ({ account: bearer, till: () => undefined }),
  createApp,
  ...renderErrors,
  // Return true for errors that mean that a resource of the handlers, such as a database, is temporarily unavailable.
  isUnavailable: () => false,
  // Open the resources of the handlers here. `check` reports their health, and `close` runs after the last request.
  open: () => Promise.resolve({ handlers, check: () => Promise.resolve(), close: () => Promise.resolve() }),
};
