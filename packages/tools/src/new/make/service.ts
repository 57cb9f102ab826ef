// The `src/service.ts` of a new project.
import type { Operation } from '@contract-kit/server/contract';
import type { NewContract } from '../read-contract';
import { makeExample } from './example';
import { makeRenderError } from './render-error';

/** It joins the handlers, settings and verifiers of credentials, and opens nothing like a store yet. */
export function makeService(contract: NewContract): string {
  const { title, document, operations } = contract;
  const hasRenderError = makeRenderError(contract) !== undefined;
  const { purpose, path, options } = makeExample(document, operations);
  const schemes = listSchemes(operations);
  return `import type { Service } from '@contract-kit/server';
import type { Verifiers } from '../generated/handlers';
import { createApp } from './app';
import { handlers } from './handlers';
${hasRenderError ? "import { renderError } from './render-error';\n" : ''}
/** What this service adds to its contract. */
export const service: Service<object> = {
  title: ${JSON.stringify(title)},
  example: {
    purpose: ${JSON.stringify(purpose)},
    path: ${JSON.stringify(path)},
    options: ${JSON.stringify(options)},
  },
  // A setting: { limit: setting('LIMIT', 10, parseLimit) }, where parseLimit throws what is wrong with a text.
  readSettings: () => ({}),
  describe: () => ({}),
  createVerifiers: (${schemes.some(isToken) ? 'bearer' : ''}): Verifiers => ({
${schemes.map((scheme) => `    ${toKey(scheme.name)}: ${toVerifier(scheme)},\n`).join('')}  }),
  createApp,
${hasRenderError ? '  renderError,\n' : ''}  // Errors of what the handlers work with that say: try again later.
  isUnavailable: () => false,
  // What the handlers work with is opened here, asked whether it is well, and closed after the last request.
  open: () => Promise.resolve({ handlers, check: () => Promise.resolve(), close: () => Promise.resolve() }),
};
`;
}

/** A security scheme. Basic takes a name and a password, all others take a token. */
interface Scheme {
  readonly name: string;
  readonly isBasic: boolean;
}

export function listSchemes(operations: readonly Operation[]): Scheme[] {
  const used = operations.flatMap(({ security }) => security.flat());
  const isBasicByName = new Map(used.map(({ scheme, challenge }) => [scheme, challenge === 'Basic']));
  return [...isBasicByName].map(([name, isBasic]) => ({ name, isBasic }));
}

/** Writes a name as the key of an object. */
export function toKey(name: string): string {
  return /^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name);
}

// A verifier is a function that tells whose credentials they are, or refuses them.
function toVerifier(scheme: Scheme): string {
  // The team decides which names and passwords are accepted; until then none is.
  return isToken(scheme) ? 'bearer' : '() => undefined';
}

function isToken({ isBasic }: Scheme): boolean {
  return !isBasic;
}
