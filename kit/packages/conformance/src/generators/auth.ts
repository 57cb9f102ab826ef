import type { Draft, Expectation } from './case';
import { isPublic, type Operation, type Scheme } from '../contract/model';
import type { Values } from '../values/variant';
import { secretOf, unscopedNameOf, type SecretChange } from '../wire/secret';
import {
  credentialsWithText,
  secretEncodingOf,
  joinCredentials,
  NO_CREDENTIALS,
  validCredentials,
  credentialsWithSecret,
  type Credentials,
} from './credentials';
import { validRequest } from './valid-request';

/** Creates cases about credentials. A request must satisfy one security requirement, with all of its schemes. */
export function createAuthCases(values: Values, operation: Operation): Draft[] {
  const { securityRequirements, pointer: operationPointer } = operation;
  const createCase = (pointer: string, [label, expect, credentials]: Attempt, requirement?: number): Draft => ({
    pointer,
    label,
    request: validRequest(values, operation, { credentials }),
    expect,
    requirement,
  });
  const validCases = securityRequirements.map((schemes, index) => {
    const names = schemes.map(({ name }) => name);
    const label = `security requirement ${String(index)}, ${names.length > 0 ? names.join(' and ') : 'none'}`;
    return createCase(operationPointer, [label, 'accepted', validCredentials(schemes)], index);
  });
  if (isPublic(operation)) return validCases;
  const anonymousCase = createCase(operationPointer, ['no credentials', 'no credentials', NO_CREDENTIALS]);
  return [
    ...validCases,
    anonymousCase,
    ...securityRequirements.flatMap((schemes) =>
      schemes.flatMap((scheme) =>
        attemptsWithOneWrongScheme(operation, schemes, scheme).map((attempt) => createCase(scheme.pointer, attempt)),
      ),
    ),
    ...attemptsWithExtraWrongSecret(securityRequirements).map((attempt) => createCase(operationPointer, attempt)),
    ...attemptsWithoutScopes(operation).map(([pointer, attempt]) => createCase(pointer, attempt)),
  ];
}

function attemptsWithOneWrongScheme(
  { securityRequirements }: Operation,
  schemes: readonly Scheme[],
  scheme: Scheme,
): Attempt[] {
  const siblings = schemes.filter((candidate) => candidate !== scheme);
  const isOnlyScheme = securityRequirements.length === 1 && siblings.length === 0;
  // The other schemes of a requirement may satisfy a second requirement by themselves.
  const areSiblingsEnough = satisfiesAny(securityRequirements, siblings);
  const expectWithSiblings = (expect: Expectation): Expectation => {
    if (areSiblingsEnough) return 'accepted';
    // No standard says which scheme a 401 must name if there are several, so any refusal is correct.
    return expect === 'accepted' || isOnlyScheme ? expect : 'refused';
  };
  const attemptsWithoutScheme: Attempt[] =
    siblings.length > 0 ? [[`without ${scheme.name}`, 'refused', NO_CREDENTIALS]] : [];
  const labelStart = securityRequirements.length > 1 && siblings.length === 0 ? `${scheme.name} alone, ` : '';
  const labelEnd = siblings.map(({ name }) => `, with ${name}`).join('');
  const otherSchemes = securityRequirements.flat().filter(({ name }) => name !== scheme.name);
  const validSecretAttempts =
    scheme.kind === 'apiKey' ? attemptsWithApiKey(scheme, otherSchemes) : attemptsWithAuthorization(scheme);
  return [...attemptsWithoutScheme, ...attemptsWithWrongSecret(scheme), ...validSecretAttempts].map(
    ([label, expect, credentials]) => [
      `${labelStart}${label}${labelEnd}`,
      expectWithSiblings(expect),
      joinCredentials([validCredentials(siblings), credentials]),
    ],
  );
}

function satisfiesAny(securityRequirements: Operation['securityRequirements'], sent: readonly Scheme[]): boolean {
  const grantedScopes = new Map(sent.map(({ name, scopes }) => [name, scopes]));
  return securityRequirements.some((schemes) =>
    schemes.every(({ name, scopes }) => {
      const granted = grantedScopes.get(name);
      return granted !== undefined && scopes.every((scope) => granted.includes(scope));
    }),
  );
}

// OpenAPI, Security Requirement Object: one satisfied requirement is enough, whatever else is sent.
function attemptsWithExtraWrongSecret(securityRequirements: Operation['securityRequirements']): Attempt[] {
  return securityRequirements.flatMap((schemes, index) => {
    const usedLocations = schemes.map(locationOfSecret);
    return (
      securityRequirements
        .flat()
        // A request cannot send two secrets in the same header, parameter or cookie.
        .filter((otherScheme) => !usedLocations.includes(locationOfSecret(otherScheme)))
        .map((otherScheme): Attempt => [
          `security requirement ${String(index)}, with a wrong secret of ${otherScheme.name}`,
          'accepted',
          joinCredentials([validCredentials(schemes), credentialsWithText(otherScheme, wrongSecretOf(otherScheme))]),
        ])
    );
  });
}

function locationOfSecret({ kind, in: location = '', parameter: keyName = '' }: Scheme): string {
  return kind === 'apiKey' ? `${location} ${keyName.toLowerCase()}` : 'header authorization';
}

// OpenAPI, Security Requirement Object: all listed scopes are required.
function attemptsWithoutScopes({ securityRequirements }: Operation): [pointer: string, Attempt][] {
  return securityRequirements.flatMap((schemes, index) =>
    schemes
      .filter(({ scopes, hasUnscoped }) => scopes.length > 0 && hasUnscoped)
      .map((scheme): [string, Attempt] => {
        const { name, kind, pointer } = scheme;
        const siblings = schemes.filter((candidate) => candidate !== scheme);
        const unscopedSecret = secretOf(unscopedNameOf(name), secretEncodingOf(scheme));
        const credentials = joinCredentials([validCredentials(siblings), credentialsWithText(scheme, unscopedSecret)]);
        const isEnough = satisfiesAny(securityRequirements, [...siblings, { ...scheme, scopes: [] }]);
        // Only bearer tokens have a standard status and error for missing scopes (RFC 6750 section 3.1).
        const refusal = kind === 'bearer' ? 'insufficient scope' : 'refused';
        const label = `security requirement ${String(index)}, ${name} without scopes`;
        return [pointer, [label, isEnough ? 'accepted' : refusal, credentials]];
      }),
  );
}

type Attempt = readonly [label: string, expect: Expectation, credentials: Credentials];

const SECRET_CHANGES: readonly SecretChange[] = ['without its last character', 'with one character more'];

function attemptsWithWrongSecret(scheme: Scheme): Attempt[] {
  const changes: readonly SecretChange[] =
    scheme.kind === 'basic' ? [...SECRET_CHANGES, 'with a wrong password'] : SECRET_CHANGES;
  return [
    ['a wrong secret', 'wrong credentials', credentialsWithText(scheme, wrongSecretOf(scheme))],
    ...changes.map((change): Attempt => [
      `the secret ${change}`,
      'wrong credentials',
      credentialsWithSecret(scheme, change),
    ]),
  ];
}

/** The secret for Basic is `x:y` in Base64. */
function wrongSecretOf({ kind }: Scheme): string {
  return kind === 'basic' ? 'eDp5' : 'wrong';
}

// A request without credentials for this scheme expects `no credentials`. Otherwise, any refusal is correct.
function attemptsWithAuthorization({ name, kind }: Scheme): Attempt[] {
  const [schemeName, otherSchemeName] = kind === 'basic' ? ['Basic', 'Bearer'] : ['Bearer', 'Basic'];
  const secret = secretOf(name, kind === 'basic' ? 'base64' : 'plain');
  const validHeader = `${schemeName} ${secret}`;
  const authorization = (value: string): Credentials => ({ headers: [['Authorization', value]] });
  return [
    // RFC 9110 section 11.1: scheme names are case-insensitive.
    ...[schemeName.toLowerCase(), schemeName.toUpperCase()].map((spelledScheme): Attempt => [
      `the scheme as ${spelledScheme}`,
      'accepted',
      authorization(`${spelledScheme} ${secret}`),
    ]),
    ['an empty header', 'no credentials', authorization('')],
    ['the scheme alone', 'refused', authorization(schemeName)],
    ['another scheme', 'no credentials', authorization(`${otherSchemeName} ${secret}`)],
    ['no scheme', 'no credentials', authorization(secret)],
    ['the secret in another header', 'no credentials', { headers: [['X-Authorization', validHeader]] }],
    [
      'the secret in a cookie',
      'no credentials',
      {
        cookies: [`Authorization=${secretOf(name, 'plain')}`, `access_token=${secretOf(name, 'plain')}`],
      },
    ],
    // RFC 6750 section 2.3: a server accepts a token in the query only if it documents that.
    ['the secret in the query', 'refused', { query: [`access_token=${secretOf(name, 'uri')}`] }],
  ];
}

// Any refusal is correct. Skips locations that other schemes use, because their secret may be the same.
function attemptsWithApiKey(scheme: Scheme, otherSchemes: readonly Scheme[]): Attempt[] {
  const { name, in: declaredLocation, parameter: keyName = '' } = scheme;
  const usedLocations = [scheme, ...otherSchemes].map(locationOfSecret);
  const relocatedSchemes = ['header', 'query', 'cookie']
    .map((location) => ({ ...scheme, in: location }))
    .filter((relocatedScheme) => !usedLocations.includes(locationOfSecret(relocatedScheme)));
  const bearerCredentials: Credentials = {
    headers: [['Authorization', `Bearer ${secretOf(name, 'plain')}`]],
  };
  const nameInOtherCase = keyName === keyName.toUpperCase() ? keyName.toLowerCase() : keyName.toUpperCase();
  return [
    ['an empty secret', 'refused', credentialsWithText(scheme, '')],
    ...relocatedSchemes.map((relocated): Attempt => [
      `the secret in a ${relocated.in}`,
      'refused',
      credentialsWithSecret(relocated),
    ]),
    ...(usedLocations.includes('header authorization')
      ? []
      : ([['the secret as a token', 'refused', bearerCredentials]] as const)),
    // RFC 9110 section 5.1: header names are case-insensitive; parameter and cookie names are not.
    [
      'the name in the other case',
      declaredLocation === 'header' ? 'accepted' : 'refused',
      credentialsWithSecret({ ...scheme, parameter: nameInOtherCase }),
    ],
  ];
}
