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
  // A setting: { limit: setting('LIMIT', 10, parseLimit) }, where parseLimit throws what is wrong with a text.
  readSettings: () => ({}),
  describe: () => ({}),
  // `bearer` accepts the tokens of the settings, for one scheme. `() => undefined` accepts nobody: write who has its
  // credentials, such as createTokenVerifier(['a-key-of-16-or-more']).
  createVerifiers: (bearer): Verifiers => ({ account: bearer, till: () => undefined }),
  createApp,
  ...renderErrors,
  // Errors of what the handlers work with that say: try again later.
  isUnavailable: () => false,
  // What the handlers work with is opened here, asked whether it is well, and closed after the last request.
  open: () => Promise.resolve({ handlers, check: () => Promise.resolve(), close: () => Promise.resolve() }),
};
