import { globSync, readFileSync } from 'node:fs';
import { load } from 'js-yaml';
import { security } from 'express-openapi-validator/dist/middlewares/openapi.security';
import type { SecurityScheme } from '../../../src/contract/schema/document';
import { createAuthentication } from '../../../src/auth/authenticate';
import type { Credentials } from '../../../src/contract/operation/credentials';
import { Refusal } from '../../../src/errors/refusal';

type Schemes = Readonly<Record<string, SecurityScheme>>;
/** The alternatives of an operation's security: each lists the names of schemes that are needed together. */
type Alternatives = readonly (readonly string[])[];

// express-openapi-validator calls a security handler only if the request has credentials of the scheme's form.
const ALL_CREDENTIALS = new Proxy<Record<string, string>>({}, { get: () => 'bearer basic' });

const SCHEMES = {
  bearer: { type: 'http', scheme: 'bearer' },
  basic: { type: 'http', scheme: 'basic' },
  header: { type: 'apiKey', in: 'header', name: 'X-Key' },
  query: { type: 'apiKey', in: 'query', name: 'key' },
  cookie: { type: 'apiKey', in: 'cookie', name: 'session' },
  openId: { type: 'openIdConnect', openIdConnectUrl: 'https://example.org' },
  oauth: { type: 'oauth2', flows: {} },
} as unknown as Schemes;

const NAMES = Object.keys(SCHEMES);

/** Every set of some schemes. */
function toSets(names: readonly string[]): string[][] {
  return Array.from({ length: 2 ** names.length }, (_unused, set) =>
    names.filter((_name, index) => (set & (1 << index)) !== 0),
  );
}

/** Whether express-openapi-validator lets a request in that has valid credentials of the schemes `met`, and of no other. */
async function isLetIn(schemes: Schemes, alternatives: Alternatives, met: readonly string[]): Promise<boolean> {
  const handlers = Object.fromEntries(Object.keys(schemes).map((name) => [name, () => met.includes(name)]));
  // As OpenAPI writes them, without scopes: [{ key: [] }, { token: [] }].
  const requirements = alternatives.map((names) => Object.fromEntries(names.map((name) => [name, []])));
  const authenticate = security({ components: { securitySchemes: schemes } } as never, handlers);
  const openapi = { schema: { security: requirements }, openApiRoute: '/' };
  const request = { openapi, headers: ALL_CREDENTIALS, query: ALL_CREDENTIALS, cookies: ALL_CREDENTIALS };
  return new Promise((resolve) => {
    void authenticate(request as never, {} as never, (error?: unknown) => {
      resolve(error === undefined);
    });
  });
}

/** Whether the kit does. */
async function isLetInByKit(schemes: Schemes, alternatives: Alternatives, met: readonly string[]): Promise<boolean> {
  const rest = { scopes: [], challenge: 'Bearer', isPresent: () => true, read: () => 'credentials' } as const;
  const toCredentials = (scheme: string): Credentials => ({ scheme, ...rest });
  const verify = (name: string) => (): object | undefined => (met.includes(name) ? {} : undefined);
  const verifiers = Object.fromEntries(Object.keys(schemes).map((name) => [name, verify(name)]));
  const operation = { security: alternatives.map((names) => names.map(toCredentials)) };
  try {
    await createAuthentication(operation, verifiers)({ headers: {}, queryText: '' });
    return true;
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return false;
  }
}

/** The sets of schemes of which express-openapi-validator and the kit let only one in. */
async function findDifference(schemes: Schemes, alternatives: Alternatives): Promise<string[][]> {
  const different: string[][] = [];
  for (const met of toSets(Object.keys(schemes))) {
    const isSame = (await isLetIn(schemes, alternatives, met)) === (await isLetInByKit(schemes, alternatives, met));
    if (!isSame) different.push(met);
  }
  return different;
}

test.each<[Alternatives]>([
  ...NAMES.map((name): [Alternatives] => [[[name]]]),
  [[['bearer'], ['basic']]],
  [[['bearer', 'basic']]],
  [[['header', 'query', 'cookie']]],
  [[['bearer'], ['header', 'basic']]],
  [[['header', 'basic'], ['header', 'oauth'], ['openId']]],
  [[[], ['bearer']]],
  [[['bearer', 'query'], []]],
  [[[]]],
  [[]],
])('for %j the kit lets in the sets of schemes that express-openapi-validator lets in', async (alternatives) => {
  expect(await findDifference(SCHEMES, alternatives)).toEqual([]);
});

/** The schemes of each contract of the repository, and each different security of it and of its operations. */
const CONTRACTS = globSync(['openapi.yaml', 'contracts/*.yaml', 'examples/*/openapi.yaml', 'tests/fixtures/**/*.yaml'])
  .map((file) => [file, load(readFileSync(file, 'utf8')) as Document] as const)
  .flatMap(([file, { security, components = {}, paths = {} }]) => {
    const operations = Object.values(paths).flatMap((path) => Object.values(path));
    const written = [security, ...operations.map((operation) => operation.security)].filter((one) => one !== undefined);
    const different = new Set(written.map((one) => JSON.stringify(one.map((needed) => Object.keys(needed)))));
    const schemes: Schemes = components.securitySchemes ?? {};
    return [...different].map((text) => [file, text, schemes, JSON.parse(text) as string[][]] as const);
  });

interface Document {
  readonly security?: readonly object[];
  readonly components?: { readonly securitySchemes?: Schemes };
  readonly paths?: Readonly<Record<string, Readonly<Record<string, { readonly security?: readonly object[] }>>>>;
}

test('the contracts of the repository use more than ten securities', () => {
  expect(new Set(CONTRACTS.map(([, security]) => security)).size).toBeGreaterThan(10);
});

test.each(CONTRACTS)(
  '%s: for %s the kit lets in whom express-openapi-validator lets in',
  async (...[, , schemes, alternatives]) => {
    expect(await findDifference(schemes, alternatives)).toEqual([]);
  },
);
