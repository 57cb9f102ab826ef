// Asks express-openapi-validator whether the security schemes that a request has met are enough.
import { security } from 'express-openapi-validator/dist/middlewares/openapi.security';
import type { SecurityScheme } from '../document/document';

/** Whether the schemes that a request has met are enough for an operation. */
export type IsEnough = (isMet: (scheme: string) => boolean) => boolean | Promise<boolean>;

/** The alternatives of an operation's security: each lists the names of schemes that are needed together. */
export type Alternatives = readonly (readonly string[])[];

// express-openapi-validator calls a security handler only if the request has credentials of the scheme's form.
const ALL_CREDENTIALS = new Proxy<Record<string, string>>({}, { get: () => 'bearer basic' });
// More sets than this are met only by one who has valid credentials of ten schemes.
const MAX_REMEMBERED = 1_000;

/**
 * Asks express-openapi-validator when a set of schemes is met for the first time, and remembers the answer: n schemes have 2^n
 * sets, of which few are ever met.
 *
 * @example await createIsEnough(schemes, [['key'], ['token']])((name) => name === 'key') // true
 */
export function createIsEnough(
  schemes: Readonly<Record<string, SecurityScheme>>,
  alternatives: Alternatives,
): IsEnough {
  const names = [...new Set(alternatives.flat())];
  // By the set, in which character n tells whether names[n] is met.
  const remembered = new Map<string, boolean>();
  return (isMet) => {
    let set = '';
    for (const name of names) set += isMet(name) ? '1' : '0';
    const known = remembered.get(set);
    if (known !== undefined) return known;
    return isLetIn(schemes, alternatives, names.filter(isMet)).then((isEnough) => {
      if (remembered.size < MAX_REMEMBERED) remembered.set(set, isEnough);
      return isEnough;
    });
  };
}

/** Whether express-openapi-validator lets a request in that has valid credentials of the schemes `met`, and of no other. */
async function isLetIn(
  schemes: Readonly<Record<string, SecurityScheme>>,
  alternatives: Alternatives,
  met: readonly string[],
): Promise<boolean> {
  const handlers = Object.fromEntries(Object.keys(schemes).map((name) => [name, () => met.includes(name)]));
  // As OpenAPI writes them, without scopes: [{ key: [] }, { token: [] }].
  const requirements = alternatives.map((names) => Object.fromEntries(names.map((name) => [name, []])));
  const authenticate = security({ components: { securitySchemes: schemes } } as never, handlers);
  const request = {
    openapi: { schema: { security: requirements }, openApiRoute: '/' },
    headers: ALL_CREDENTIALS,
    query: ALL_CREDENTIALS,
    cookies: ALL_CREDENTIALS,
  };
  return new Promise((resolve) => {
    void authenticate(request as never, {} as never, (error?: unknown) => {
      resolve(error === undefined);
    });
  });
}
