import { security } from 'express-openapi-validator/dist/middlewares/openapi.security';
import type { SecurityScheme } from '../document/document';

/** Whether a set of security schemes is enough for an operation. */
export type IsEnough = (isMet: (scheme: string) => boolean) => boolean;

/** The alternatives of an operation's security: each lists the names of schemes that are needed together. */
export type Alternatives = readonly (readonly string[])[];

// express-openapi-validator calls a security handler only if the request has credentials of the scheme's form.
const ALL_CREDENTIALS = new Proxy<Record<string, string>>({}, { get: () => 'bearer basic' });

/**
 * Asks express-openapi-validator, at start-up, for every set of the schemes that an operation names whether a request may pass
 * that has valid credentials of just these.
 *
 * @example (await findEnough(schemes, [['key'], ['token']]))((name) => name === 'key') // true
 */
export async function findEnough(
  schemes: Readonly<Record<string, SecurityScheme>>,
  alternatives: Alternatives,
): Promise<IsEnough> {
  const names = [...new Set(alternatives.flat())];
  // By the number of a set, in which bit n stands for names[n].
  const isEnough: boolean[] = [];
  for (let set = 0; set < 2 ** names.length; set += 1) {
    const met = names.filter((_name, index) => (set & (1 << index)) !== 0);
    isEnough.push(await isLetIn(schemes, alternatives, met));
  }
  return (isMet) => {
    let set = 0;
    for (const [index, name] of names.entries()) if (isMet(name)) set |= 1 << index;
    return isEnough[set] === true;
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
