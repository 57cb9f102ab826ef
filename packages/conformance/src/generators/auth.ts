// Creates cases with valid, missing and wrong credentials.
import type { Case, Expectation } from '../case';
import type { Operation, Scheme } from '../contract/model';
import type { Values } from '../values/variant';
import { secretOf, unscopedNameOf } from '../wire/secret';
import { credentialsWithText, encodingOf, joinCredentials, NO_CREDENTIALS, validCredentials } from './credentials';
import { toBody, validRequest } from './valid-request';
import { credentialAttempts, wrongSecretOf, type Attempt } from './credential-attempts';

/** Cases about credentials. An alternative is schemes that a request satisfies together; one alternative is enough. */
export function createAuthCases(values: Values, operation: Operation): Case[] {
  const { alternatives, pointer: operationPointer, body } = operation;
  const createCase = (pointer: string, [label, expect, credentials, level]: Attempt, alternative?: number): Case => ({
    operation: operation.id,
    class: 'auth',
    pointer,
    label,
    request: validRequest(values, operation, { credentials }),
    expect,
    ...(alternative !== undefined && { alternative }),
    ...(level && { level }),
  });
  const validCases = alternatives.map((schemes, index) => {
    const names = schemes.map(({ name }) => name);
    const label = `alternative ${String(index)}, ${names.length > 0 ? names.join(' and ') : 'none'}`;
    return createCase(operationPointer, [label, 'accepted', validCredentials(schemes)], index);
  });
  const allowsAnonymous = alternatives.some((schemes) => schemes.length === 0);
  // Then no request is refused for its credentials.
  if (allowsAnonymous) return validCases;
  const anonymous = createCase(operationPointer, ['no credentials', 'no credentials', NO_CREDENTIALS]);
  return [
    ...validCases,
    anonymous,
    ...(body ? [withMalformedBody(anonymous), ...credentialsInTrailer(alternatives[0] ?? [], anonymous)] : []),
    ...alternatives.flatMap((schemes) =>
      schemes.flatMap((scheme) =>
        oneSchemeWrong(operation, schemes, scheme).map((attempt) => createCase(scheme.pointer, attempt)),
      ),
    ),
    ...validBesideWrong(alternatives).map((attempt) => createCase(operationPointer, attempt)),
    ...withoutScopes(operation).map(([pointer, attempt]) => createCase(pointer, attempt)),
  ];
}

// An anonymous request whose body is wrong too must still have the 401: credentials are checked before the body.
function withMalformedBody(anonymous: Case): Case {
  const label = 'no credentials, and a body that is wrong';
  return { ...anonymous, label, request: { ...anonymous.request, body: toBody('{') } };
}

// A trailer follows a chunked body. A server must not merge it into the headers (RFC 9112 section 7.1.2), so the
// request stays anonymous.
function credentialsInTrailer(schemes: readonly Scheme[], anonymous: Case): Case[] {
  const { headers: trailers } = validCredentials(schemes);
  const request = { ...anonymous.request, framing: 'chunked', trailers } as const;
  return trailers.length > 0 ? [{ ...anonymous, label: 'credentials in a trailer (RFC 9112 7.1.2)', request }] : [];
}

// One scheme wrong or left out, with valid credentials for the other `schemes` of its alternative.
function oneSchemeWrong({ alternatives }: Operation, schemes: readonly Scheme[], scheme: Scheme): Attempt[] {
  const others = schemes.filter((other) => other !== scheme);
  const isOnlyScheme = alternatives.length === 1 && others.length === 0;
  // The others alone may be another alternative.
  const othersAreEnough = satisfyAlternative(alternatives, others);
  const expectBesideOthers = (expect: Expectation): Expectation => {
    if (othersAreEnough) return 'accepted';
    // Other valid spellings stay accepted. With several schemes, no standard says which of them a 401 must be about, so
    // that any refusal is right.
    return expect === 'accepted' || isOnlyScheme ? expect : 'refused';
  };
  const schemeLeftOut: Attempt[] = others.length > 0 ? [[`without ${scheme.name}`, 'refused', NO_CREDENTIALS]] : [];
  const labelStart = alternatives.length > 1 && others.length === 0 ? `${scheme.name} alone, ` : '';
  const labelEnd = others.map(({ name }) => `, beside ${name}`).join('');
  return [...schemeLeftOut, ...credentialAttempts(scheme)].map(([label, expect, credentials, level]) => [
    `${labelStart}${label}${labelEnd}`,
    expectBesideOthers(expect),
    joinCredentials([validCredentials(others), credentials]),
    level,
  ]);
}

// Whether valid credentials for these schemes, each with its scopes, satisfy one of the alternatives.
function satisfyAlternative(alternatives: Operation['alternatives'], sent: readonly Scheme[]): boolean {
  const grantedScopes = new Map(sent.map(({ name, scopes }) => [name, scopes]));
  return alternatives.some((schemes) =>
    schemes.every(({ name, scopes }) => {
      const granted = grantedScopes.get(name);
      return granted !== undefined && scopes.every((scope) => granted.includes(scope));
    }),
  );
}

// One satisfied alternative is enough (OpenAPI, Security Requirement Object).
function validBesideWrong(alternatives: Operation['alternatives']): Attempt[] {
  return alternatives.flatMap((schemes, index) => {
    const usedPlaces = schemes.map(placeOfSecret);
    return (
      alternatives
        .flat()
        // Two secrets cannot be sent in the same header, parameter or cookie.
        .filter((other) => !usedPlaces.includes(placeOfSecret(other)))
        .map((other): Attempt => [
          `alternative ${String(index)}, beside a wrong secret of ${other.name}`,
          'accepted',
          joinCredentials([validCredentials(schemes), credentialsWithText(other, wrongSecretOf(other))]),
        ])
    );
  });
}

function placeOfSecret({ kind, in: location = '', parameter: keyName = '' }: Scheme): string {
  return kind === 'apiKey' ? `${location} ${keyName.toLowerCase()}` : 'header authorization';
}

// All listed scopes are required (OpenAPI, Security Requirement Object). `hasUnscoped`: the suite was given credentials
// without scopes.
function withoutScopes({ alternatives }: Operation): [pointer: string, Attempt][] {
  return alternatives.flatMap((schemes, index) =>
    schemes
      .filter(({ scopes, hasUnscoped }) => scopes.length > 0 && hasUnscoped)
      .map((scheme): [string, Attempt] => {
        const { name, kind, pointer } = scheme;
        const others = schemes.filter((other) => other !== scheme);
        const unscopedSecret = secretOf(unscopedNameOf(name), encodingOf(scheme));
        const credentials = joinCredentials([validCredentials(others), credentialsWithText(scheme, unscopedSecret)]);
        // Another alternative may need no scopes.
        const isEnough = satisfyAlternative(alternatives, [...others, { ...scheme, scopes: [] }]);
        // Only RFC 6750 section 3.1 has a status and error for missing scopes, and it is about bearer tokens.
        const refusal = kind === 'bearer' ? 'insufficient scope' : 'refused';
        const label = `alternative ${String(index)}, ${name} without scopes`;
        return [pointer, [label, isEnough ? 'accepted' : refusal, credentials]];
      }),
  );
}
