// Reads the credentials of a request according to the contract's security schemes.
import { parseCookies, headerTexts, parseBearer, type HeaderFields } from '../text/header-value';
import {
  resolveReference,
  toSchemeName,
  type SecurityScheme,
  type NormalizedDocument,
  type OperationObject,
  type SecurityRequirement,
} from '../2-resolve/document';
import { assertEnforceableName } from '../2-resolve/supported';
import { DocumentError } from '../text/document-error';
import { splitPairs, tryDecodeForm } from '../text/uri';

/** Credentials that an operation requires. */
export interface Credentials extends CredentialsReader {
  readonly scheme: string;
  /** The scopes or roles that the operation requires. */
  readonly scopes: readonly string[];
}

export interface CredentialsReader {
  /** The scheme in the challenge of a 401 (RFC 9110 section 11.6.1), such as `Bearer`, `Basic` or `ApiKey`. */
  readonly challenge: string;
  /** The location of an API key; undefined for other credentials. */
  readonly key?: { readonly location: 'header' | 'query' | 'cookie'; readonly name: string } | undefined;
  /** Whether the request has credentials, even if they are malformed. */
  readonly isPresent: (carrier: CredentialsCarrier) => boolean;
  /** Returns the token, the key, user:password, or the text after another scheme; undefined if missing or malformed. */
  readonly read: (carrier: CredentialsCarrier) => string | undefined;
}

/** The parts of a request that can contain credentials. */
export interface CredentialsCarrier {
  readonly headers: HeaderFields;
  /** The query string without the question mark. */
  readonly queryText: string;
}

function createKeyReader(scheme: SecurityScheme): CredentialsReader {
  const { name, in: location } = scheme;
  if (name === undefined) throw new DocumentError(scheme, 'an apiKey needs a name');
  const listKeys = Object.hasOwn(LIST_KEYS, String(location)) && LIST_KEYS[location as keyof typeof LIST_KEYS];
  if (!listKeys) throw new DocumentError(scheme, 'an apiKey must be in header, query or cookie', 'in');
  if (location === 'header') assertEnforceableName(scheme, name);
  return {
    challenge: 'ApiKey',
    key: { location: location as keyof typeof LIST_KEYS, name },
    isPresent: (request) => listKeys(request, name).length > 0,
    // If a request has several keys, none is used.
    read: (request) => {
      const [key, another] = listKeys(request, name);
      return another === undefined && key !== '' ? key : undefined;
    },
  };
}

const LIST_KEYS = {
  header: ({ headers }: CredentialsCarrier, name: string) => headerTexts(headers, name),
  query: ({ queryText }: CredentialsCarrier, name: string) => {
    const pairs = splitPairs(queryText).filter(([encodedName]) => tryDecodeForm(encodedName) === name);
    // A key with malformed percent-encoding is present but invalid.
    return pairs.map(([, text]) => tryDecodeForm(text) ?? '');
  },
  cookie: ({ headers }: CredentialsCarrier, name: string) =>
    parseCookies(headers.cookie).flatMap(([cookie, text]) => (cookie === name ? text : [])),
};

// Matches an Authorization header with user:password in Base64 (RFC 7617 section 2).
const BASIC_CREDENTIALS = /^Basic +([A-Za-z0-9+/]+=*)$/i;

// Matches the name of an authentication scheme, which is a token (RFC 9110 section 11.1).
const HTTP_SCHEME = /^[\w!#$%&'*+.^`|~-]+$/;

const CERTIFICATE_TYPE = 'mutualTLS';
const NO_CERTIFICATE =
  'the service sees no client certificate, because TLS ends before it: list another scheme as an alternative';

/**
 * Lists the alternatives in an operation's security, each as the credentials that a request needs together (OpenAPI,
 * Operation Object). Alternatives with a client certificate are left out, because no request can satisfy them.
 *
 * @throws DocumentError if a scheme is undefined or unsupported, or if every alternative needs a client certificate
 */
export function readCredentials(document: NormalizedDocument, object: OperationObject): Credentials[][] {
  const security = object.security ?? document.security ?? [];
  const alternatives = security.map((requirement) =>
    Object.entries(requirement).map(([key, scopes]) => {
      const name = toSchemeName(key);
      return { name, scopes, scheme: findScheme(document, requirement, name) };
    }),
  );
  const isCertificate = ({ scheme }: { readonly scheme: SecurityScheme }): boolean => scheme.type === CERTIFICATE_TYPE;
  const alternativesLeft = alternatives.filter((needed) => !needed.some(isCertificate));
  const certificate = alternatives.flat().find(isCertificate);
  if (certificate && alternativesLeft.length === 0) throw new DocumentError(certificate.scheme, NO_CERTIFICATE, 'type');
  return alternativesLeft.map((needed) =>
    needed.map(({ name, scopes, scheme }) => ({ scheme: name, scopes, ...createCredentialsReader(scheme) })),
  );
}

function findScheme(document: NormalizedDocument, requirement: SecurityRequirement, name: string): SecurityScheme {
  const schemes = document.components?.securitySchemes ?? {};
  const node = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  if (node === undefined) {
    throw new DocumentError(
      requirement,
      `the security scheme ${name} is not defined in components.securitySchemes`,
      name,
    );
  }
  return resolveReference<SecurityScheme>(document, node, 'SecurityScheme');
}

function createCredentialsReader(scheme: SecurityScheme): CredentialsReader {
  switch (scheme.type) {
    case 'http':
      return createHttpReader(scheme);
    case 'oauth2':
    case 'openIdConnect':
      return createHeaderReader('Bearer', parseBearer);
    case 'apiKey':
      return createKeyReader(scheme);
    default:
      throw new DocumentError(
        scheme,
        'is not a supported security scheme: write http, apiKey, oauth2 or openIdConnect',
        'type',
      );
  }
}

function createHttpReader(object: SecurityScheme): CredentialsReader {
  const scheme = String(object.scheme);
  switch (scheme.toLowerCase()) {
    case 'bearer':
      return createHeaderReader('Bearer', parseBearer);
    case 'basic':
      return createHeaderReader('Basic', parseBasic);
    default:
      if (!object.scheme || !HTTP_SCHEME.test(scheme))
        throw new DocumentError(object, 'an http security scheme needs a name, such as bearer', 'scheme');
      return createHeaderReader(scheme, (text) => text.slice(scheme.length).trim() || undefined);
  }
}

function createHeaderReader(
  challenge: string,
  parse: (authorization: string) => string | undefined,
): CredentialsReader {
  const scheme = new RegExp(`^${RegExp.escape(challenge)}(?: |$)`, 'i');
  return {
    challenge,
    isPresent: ({ headers }) => scheme.test(String(headers.authorization)),
    read: ({ headers }) =>
      scheme.test(String(headers.authorization)) ? parse(String(headers.authorization)) : undefined,
  };
}

function parseBasic(authorization: string): string | undefined {
  const [, encoded = ''] = BASIC_CREDENTIALS.exec(authorization) ?? [];
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  return decoded.includes(':') ? decoded : undefined;
}
