// Reads the security of an operation: the alternatives, and the credentials that each needs.
import { createKeyReader } from './api-key';
import { parseBearer } from '../text/bearer';
import {
  resolveReference,
  type Document,
  type OperationObject,
  type SecurityRequirement,
  type SecurityScheme,
} from '../document/document';
import type { Credentials, CredentialsReader } from './credential-types';
import { Mistake } from '../document/mistake';

// RFC 7617 section 2: user:password in Base64.
const BASIC = /^Basic +([A-Za-z0-9+/]+=*)$/i;

const CERTIFICATE_TYPE = 'mutualTLS';
const NO_CERTIFICATE =
  'TLS ends before the service, so that it sees no client certificate: list another scheme as an alternative';

/**
 * Each alternative lists the credentials that are needed together; without any, the operation is public (OpenAPI, Operation
 * Object). An alternative with a client certificate is left out, since no request meets it.
 *
 * @throws Mistake when a scheme is not defined or not supported, or no alternative is left
 */
export function readCredentials(document: Document, object: OperationObject): Credentials[][] {
  const security = object.security ?? document.security ?? [];
  const alternatives = security.map((requirement) =>
    Object.entries(requirement).map(([name, scopes]) => {
      return { name, scopes, scheme: findScheme(document, requirement, name) };
    }),
  );
  const isCertificate = ({ scheme }: { readonly scheme: SecurityScheme }): boolean => scheme.type === CERTIFICATE_TYPE;
  const possible = alternatives.filter((needed) => !needed.some(isCertificate));
  const certificate = alternatives.flat().find(isCertificate);
  if (certificate && possible.length === 0) throw new Mistake(certificate.scheme, NO_CERTIFICATE, 'type');
  return possible.map((needed) =>
    needed.map(({ name, scopes, scheme }) => ({ scheme: name, scopes, ...createCredentialsReader(scheme) })),
  );
}

function findScheme(document: Document, requirement: SecurityRequirement, name: string): SecurityScheme {
  const schemes = document.components?.securitySchemes ?? {};
  const node = Object.hasOwn(schemes, name) ? schemes[name] : undefined;
  if (node === undefined) {
    throw new Mistake(requirement, `the security scheme ${name} is not defined in components.securitySchemes`, name);
  }
  return resolveReference<SecurityScheme>(document, node);
}

// OAuth 2 and OpenID Connect send a bearer token, too.
function createCredentialsReader(scheme: SecurityScheme): CredentialsReader {
  // The type http has several schemes, such as bearer and basic; the other types have none.
  const kind = scheme.type === 'http' ? scheme.scheme?.toLowerCase() : scheme.type;
  switch (kind) {
    case 'bearer':
    case 'oauth2':
    case 'openIdConnect':
      return {
        challenge: 'Bearer',
        isPresent: ({ headers }) => /^Bearer(?: |$)/i.test(String(headers.authorization)),
        read: ({ headers }) => parseBearer(String(headers.authorization)),
      };
    case 'basic':
      return {
        challenge: 'Basic',
        isPresent: ({ headers }) => /^Basic(?: |$)/i.test(String(headers.authorization)),
        read: ({ headers }) => parseBasic(String(headers.authorization)),
      };
    case 'apiKey':
      return createKeyReader(scheme);
    default:
      throw new Mistake(
        scheme,
        'is no security scheme of the kit: http bearer, http basic, apiKey, oauth2, openIdConnect',
      );
  }
}

/** The `user:password` of an Authorization header such as `Basic dXNlcjpwYXNz`; undefined if it is malformed. */
function parseBasic(authorization: string): string | undefined {
  const [, encoded = ''] = BASIC.exec(authorization) ?? [];
  const decoded = Buffer.from(encoded, 'base64').toString('utf8');
  return decoded.includes(':') ? decoded : undefined;
}
