// Creates cases with valid, missing and wrong credentials.
import type { Case, Expectation } from '../case';
import type { Operation, Scheme } from '../contract/model';
import type { Level } from '../level';
import type { Values } from '../values/variant';
import { secretOf, unscopedNameOf, type Change } from '../wire/secret';
import {
  credentialsFor,
  encodingOf,
  credentialsWithSecret,
  credentialsWithText,
  toBody,
  joinCredentials,
  validRequest,
  type Credentials,
} from './valid-request';

const NONE: Credentials = { headers: [], query: [], cookies: [] };

/**
 * Creates cases for every security alternative: valid credentials, none, wrong ones, and valid ones sent in the wrong
 * way.
 */
export function createAuthCases(values: Values, operation: Operation): Case[] {
  const { alternatives, pointer: place, body } = operation;
  const createCase = (pointer: string, [label, expect, credentials, level]: Attempt, alternative?: number): Case => ({
    operation: operation.id,
    class: 'auth',
    pointer,
    label,
    covers: [],
    request: validRequest(values, operation, { credentials }),
    expect,
    ...(alternative !== undefined && { alternative }),
    ...(level && { level }),
  });
  const right = alternatives.map((schemes, alternative) => {
    const names = schemes.map(({ name }) => name);
    const label = `alternative ${String(alternative)}, ${names.length > 0 ? names.join(' and ') : 'none'}`;
    return createCase(place, [label, 'accepted', credentialsFor(schemes)], alternative);
  });
  if (alternatives.some((schemes) => schemes.length === 0)) return right;
  const withoutCredentials = createCase(place, ['no credentials', 'no credentials', NONE]);
  const early = { ...withoutCredentials, label: 'no credentials, and a body that is wrong' };
  return [
    ...right,
    withoutCredentials,
    ...(body ? [{ ...early, request: { ...withoutCredentials.request, body: toBody('{') } }] : []),
    ...(body ? credentialsInTrailer(alternatives[0] ?? [], withoutCredentials) : []),
    ...alternatives.flatMap((schemes) =>
      schemes.flatMap((scheme) =>
        allButOneScheme(operation, schemes, scheme).map((attempt) => createCase(scheme.pointer, attempt)),
      ),
    ),
    ...beside(alternatives).map((attempt) => createCase(place, attempt)),
    ...withoutScopes(operation).map(([pointer, attempt]) => createCase(pointer, attempt)),
  ];
}

// RFC 9112 section 7.1.2: a trailer must not be merged into the headers, so credentials there do not count.
function credentialsInTrailer(schemes: readonly Scheme[], missing: Case): Case[] {
  const { headers } = credentialsFor(schemes);
  const request = { ...missing.request, framing: 'chunked', trailers: headers } as const;
  return headers.length > 0 ? [{ ...missing, label: 'credentials in a trailer (RFC 9112 7.1.2)', request }] : [];
}

/** Credentials and what they lead to; the level is set only when it differs from the class's. */
type Attempt = readonly [label: string, expect: Expectation, credentials: Credentials, level?: Level | undefined];

/** Sends valid credentials for every scheme of an alternative except one, which is sent in every wrong way. */
function allButOneScheme({ alternatives }: Operation, schemes: readonly Scheme[], scheme: Scheme): Attempt[] {
  const others = schemes.filter((one) => one !== scheme);
  const right = credentialsFor(others);
  const besideWrongSecret = others.map(({ name }) => `, beside ${name}`).join('');
  // With several schemes, no standard says which of them the challenge is about: then expect any refusal.
  const isClear = alternatives.length === 1 && others.length === 0;
  // Another alternative may be satisfied by the rest.
  const isEnough = isAlternativeMet(alternatives, others);
  const without: Attempt[] = others.length > 0 ? [[`without ${scheme.name}`, 'refused', NONE]] : [];
  const id = alternatives.length > 1 && others.length === 0 ? `${scheme.name} alone, ` : '';
  return [...without, ...wrongSecrets(scheme), ...wrongPresentations(scheme)].map(
    ([label, expect, credentials, level]) => {
      const said = expect === 'accepted' || isClear ? expect : 'refused';
      return [
        `${id}${label}${besideWrongSecret}`,
        isEnough ? 'accepted' : said,
        joinCredentials([right, credentials]),
        level,
      ];
    },
  );
}

// Whether credentials for these schemes, with their scopes, satisfy an alternative.
function isAlternativeMet(alternatives: Operation['alternatives'], shown: readonly Scheme[]): boolean {
  const granted = new Map(shown.map(({ name, scopes }) => [name, scopes]));
  return alternatives.some((schemes) =>
    schemes.every(
      ({ name, scopes }) => scopes.every((scope) => granted.get(name)?.includes(scope)) && granted.has(name),
    ),
  );
}

// OpenAPI, Security Requirement Object: one satisfied alternative is enough, even beside wrong credentials for another.
function beside(alternatives: Operation['alternatives']): Attempt[] {
  return alternatives.flatMap((schemes, index) =>
    alternatives.flat().flatMap((other): Attempt[] => {
      const hasRoom = schemes.every((scheme) => placeOfSecret(scheme) !== placeOfSecret(other));
      const label = `alternative ${String(index)}, beside a wrong secret of ${other.name}`;
      return hasRoom
        ? [
            [
              label,
              'accepted',
              joinCredentials([credentialsFor(schemes), credentialsWithText(other, wrongSecretOf(other))]),
            ],
          ]
        : [];
    }),
  );
}

// OpenAPI, Security Requirement Object: credentials need every scope that is listed.
function withoutScopes({ alternatives }: Operation): [pointer: string, Attempt][] {
  return alternatives.flatMap((schemes, index) =>
    schemes
      .filter(({ scopes, hasUnscoped }) => scopes.length > 0 && hasUnscoped)
      .map((scheme): [string, Attempt] => {
        const { name, kind, pointer } = scheme;
        const others = schemes.filter((one) => one !== scheme);
        const unscoped = credentialsWithText(scheme, secretOf(unscopedNameOf(name), encodingOf(scheme)));
        const isEnough = isAlternativeMet(alternatives, [...others, { ...scheme, scopes: [] }]);
        // Only RFC 6750 section 3.1 has a status and error for missing scopes.
        const refused = kind === 'bearer' ? 'insufficient scope' : 'refused';
        const label = `alternative ${String(index)}, ${name} without scopes`;
        return [pointer, [label, isEnough ? 'accepted' : refused, joinCredentials([credentialsFor(others), unscoped])]];
      }),
  );
}

// Two schemes with one place cannot be sent together.
function placeOfSecret({ kind, in: place = '', parameter = '' }: Scheme): string {
  return kind === 'apiKey' ? `${place} ${parameter.toLowerCase()}` : 'header authorization';
}

const CHANGES: readonly Change[] = [
  'without its last sign',
  'without its first sign',
  'with a sign more',
  'in the other case',
  'twice in a row',
];

function wrongSecrets(scheme: Scheme): Attempt[] {
  const changes: readonly Change[] = scheme.kind === 'basic' ? [...CHANGES, 'with a wrong password'] : CHANGES;
  return [
    ['a wrong secret', 'wrong credentials', credentialsWithText(scheme, wrongSecretOf(scheme))],
    ...changes.map((change): Attempt => [
      `the secret ${change}`,
      'wrong credentials',
      credentialsWithSecret(scheme, change),
    ]),
  ];
}

// eDp5 is x:y in Base64.
function wrongSecretOf({ kind }: Scheme): string {
  return kind === 'basic' ? 'eDp5' : 'wrong';
}

/** Sends the valid secret in the wrong place or form, and in other spellings that are valid. */
function wrongPresentations(scheme: Scheme): Attempt[] {
  const { name, kind } = scheme;
  if (kind === 'apiKey') return wrongKeys(scheme);
  const word = kind === 'basic' ? 'Basic' : 'Bearer';
  const other = kind === 'basic' ? 'Bearer' : 'Basic';
  const secret = secretOf(name, kind === 'basic' ? 'base64' : 'plain');
  const authorization = (...values: string[]): Credentials => ({
    ...NONE,
    headers: values.map((value) => ['Authorization', value]),
  });
  const right = `${word} ${secret}`;
  return [
    // RFC 9110 section 11.1: scheme names are case-insensitive.
    ...[word.toLowerCase(), word.toUpperCase()].map((spelled): Attempt => [
      `the scheme as ${spelled}`,
      'accepted',
      authorization(`${spelled} ${secret}`),
    ]),
    ['an empty header', 'no credentials', authorization('')],
    ['the scheme alone', 'refused', authorization(word)],
    ['another scheme', 'no credentials', authorization(`${other} ${secret}`)],
    ['an unknown scheme', 'no credentials', authorization(`Wonder ${secret}`)],
    ['a scheme that ends in the right one', 'no credentials', authorization(`X${right}`)],
    ['a scheme that begins with the right one', 'no credentials', authorization(`${word}X ${secret}`)],
    ['no scheme', 'no credentials', authorization(secret)],
    ['a quoted secret', 'wrong credentials', authorization(`${word} "${secret}"`)],
    ['a secret and a comma', 'wrong credentials', authorization(`${right},`)],
    ['a secret and a parameter', 'wrong credentials', authorization(`${right} x=1`)],
    // RFC 9110 does not say how to treat two Authorization headers (section 5.3), or other white space after the scheme
    // (11.4).
    ['a tab instead of a space', 'refused', authorization(`${word}\t${secret}`), 'strict'],
    ['the header twice', 'refused', authorization(right, right), 'strict'],
    ['the right header and a wrong one', 'refused', authorization(right, `${word} wrong`), 'strict'],
    ['a wrong header and the right one', 'refused', authorization(`${word} wrong`, right), 'strict'],
    ['the secret in another header', 'no credentials', { ...NONE, headers: [['X-Authorization', right]] }],
    [
      'the secret in a cookie',
      'no credentials',
      { ...NONE, cookies: [`Authorization=${secretOf(name, 'plain')}`, `access_token=${secretOf(name, 'plain')}`] },
    ],
    // RFC 6750 section 2.3: a token in the query counts only if the server documents that.
    ['the secret in the query', 'refused', { ...NONE, query: [`access_token=${secretOf(name, 'uri')}`] }],
  ];
}

function wrongKeys(scheme: Scheme): Attempt[] {
  const { in: own, parameter = '' } = scheme;
  const elsewhere = ['header', 'query', 'cookie'].filter((place) => place !== own);
  const right = credentialsWithSecret(scheme);
  const other = credentialsWithText(scheme, wrongSecretOf(scheme));
  const bearer: Credentials = { ...NONE, headers: [['Authorization', `Bearer ${secretOf(scheme.name, 'plain')}`]] };
  return [
    ['an empty secret', 'refused', credentialsWithText(scheme, '')],
    ...elsewhere.map((place): Attempt => [
      `the secret in a ${place}`,
      'refused',
      credentialsWithSecret({ ...scheme, in: place }),
    ]),
    ['the secret as a token', 'refused', bearer],
    // No standard says which of two equal names counts (RFC 6265 section 4.2.2 for cookies).
    ...(own === 'cookie'
      ? []
      : ([
          ['the right secret and a wrong one', 'refused', joinCredentials([right, other]), 'strict'],
          ['a wrong secret and the right one', 'refused', joinCredentials([other, right]), 'strict'],
        ] as const)),
    // RFC 9110 section 5.1: header names are case-insensitive; parameter and cookie names are not.
    [
      'the name in the other case',
      own === 'header' ? 'accepted' : 'refused',
      credentialsWithSecret({
        ...scheme,
        parameter: parameter === parameter.toUpperCase() ? parameter.toLowerCase() : parameter.toUpperCase(),
      }),
    ],
  ];
}
