// Attempts with the credentials of one security scheme, nearly all of them wrong.
import type { Expectation } from '../case';
import type { Scheme } from '../contract/model';
import type { Level } from '../level';
import { secretOf, type Change } from '../wire/secret';
import {
  credentialsWithSecret,
  credentialsWithText,
  joinCredentials,
  NO_CREDENTIALS,
  type Credentials,
} from './credentials';

/** Credentials, and the reply that they must have; `level` is `strict` where no standard decides. */
export type Attempt = readonly [
  label: string,
  expect: Expectation,
  credentials: Credentials,
  level?: Level | undefined,
];

/**
 * Lists attempts with wrong secrets, and with the valid secret: in a wrong place or a wrong form, and in other spellings
 * that are valid, which a server must accept.
 */
export function credentialAttempts(scheme: Scheme): Attempt[] {
  const withValidSecret = scheme.kind === 'apiKey' ? attemptsWithApiKey(scheme) : attemptsWithAuthorization(scheme);
  return [...wrongSecrets(scheme), ...withValidSecret];
}

const SECRET_CHANGES: readonly Change[] = [
  'without its last sign',
  'without its first sign',
  'with a sign more',
  'in the other case',
  'twice in a row',
];

function wrongSecrets(scheme: Scheme): Attempt[] {
  // Only HTTP Basic has a user and a password, of which one alone can be wrong.
  const changes: readonly Change[] =
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

/** A secret that no caller has; in Basic it is `x:y` in Base64. */
export function wrongSecretOf({ kind }: Scheme): string {
  return kind === 'basic' ? 'eDp5' : 'wrong';
}

// `no credentials` where a server finds none of this scheme; `refused` is any refusal: standards do not say which.
function attemptsWithAuthorization({ name, kind }: Scheme): Attempt[] {
  const [schemeName, otherSchemeName] = kind === 'basic' ? ['Basic', 'Bearer'] : ['Bearer', 'Basic'];
  const secret = secretOf(name, kind === 'basic' ? 'base64' : 'plain');
  const validHeader = `${schemeName} ${secret}`;
  const authorization = (...values: string[]): Credentials => ({
    ...NO_CREDENTIALS,
    headers: values.map((value) => ['Authorization', value]),
  });
  return [
    // RFC 9110 section 11.1: scheme names are case-insensitive.
    ...[schemeName.toLowerCase(), schemeName.toUpperCase()].map((spelled): Attempt => [
      `the scheme as ${spelled}`,
      'accepted',
      authorization(`${spelled} ${secret}`),
    ]),
    ['an empty header', 'no credentials', authorization('')],
    ['the scheme alone', 'refused', authorization(schemeName)],
    ['another scheme', 'no credentials', authorization(`${otherSchemeName} ${secret}`)],
    ['an unknown scheme', 'no credentials', authorization(`Wonder ${secret}`)],
    ['a scheme that ends in the right one', 'no credentials', authorization(`X${validHeader}`)],
    ['a scheme that begins with the right one', 'no credentials', authorization(`${schemeName}X ${secret}`)],
    ['no scheme', 'no credentials', authorization(secret)],
    ['a quoted secret', 'wrong credentials', authorization(`${schemeName} "${secret}"`)],
    ['a secret and a comma', 'wrong credentials', authorization(`${validHeader},`)],
    ['a secret and a parameter', 'wrong credentials', authorization(`${validHeader} x=1`)],
    // House rules: RFC 9110 leaves open two Authorization headers (section 5.3), and other white space (11.4).
    ['a tab instead of a space', 'refused', authorization(`${schemeName}\t${secret}`), 'strict'],
    ['the header twice', 'refused', authorization(validHeader, validHeader), 'strict'],
    ['the right header and a wrong one', 'refused', authorization(validHeader, `${schemeName} wrong`), 'strict'],
    ['a wrong header and the right one', 'refused', authorization(`${schemeName} wrong`, validHeader), 'strict'],
    [
      'the secret in another header',
      'no credentials',
      { ...NO_CREDENTIALS, headers: [['X-Authorization', validHeader]] },
    ],
    [
      'the secret in a cookie',
      'no credentials',
      {
        ...NO_CREDENTIALS,
        cookies: [`Authorization=${secretOf(name, 'plain')}`, `access_token=${secretOf(name, 'plain')}`],
      },
    ],
    // RFC 6750 section 2.3: a token in the query counts only if the server documents that.
    ['the secret in the query', 'refused', { ...NO_CREDENTIALS, query: [`access_token=${secretOf(name, 'uri')}`] }],
  ];
}

// `refused` is any refusal, not only a 401: a key in the query may also be an undeclared parameter.
function attemptsWithApiKey(scheme: Scheme): Attempt[] {
  const { name, in: ownLocation, parameter: keyName = '' } = scheme;
  const otherLocations = ['header', 'query', 'cookie'].filter((location) => location !== ownLocation);
  const validKey = credentialsWithSecret(scheme);
  const wrongKey = credentialsWithText(scheme, wrongSecretOf(scheme));
  const asBearerToken: Credentials = {
    ...NO_CREDENTIALS,
    headers: [['Authorization', `Bearer ${secretOf(name, 'plain')}`]],
  };
  const nameInOtherCase = keyName === keyName.toUpperCase() ? keyName.toLowerCase() : keyName.toUpperCase();
  return [
    ['an empty secret', 'refused', credentialsWithText(scheme, '')],
    ...otherLocations.map((location): Attempt => [
      `the secret in a ${location}`,
      'refused',
      credentialsWithSecret({ ...scheme, in: location }),
    ]),
    ['the secret as a token', 'refused', asBearerToken],
    // A house rule: no standard says which of two equal names counts. Of two cookies a server should not even rely on the
    // order (RFC 6265 section 4.2.2), so that is not tried.
    ...(ownLocation === 'cookie'
      ? []
      : ([
          ['the right secret and a wrong one', 'refused', joinCredentials([validKey, wrongKey]), 'strict'],
          ['a wrong secret and the right one', 'refused', joinCredentials([wrongKey, validKey]), 'strict'],
        ] as const)),
    // RFC 9110 section 5.1: header names are case-insensitive; parameter and cookie names are not.
    [
      'the name in the other case',
      ownLocation === 'header' ? 'accepted' : 'refused',
      credentialsWithSecret({ ...scheme, parameter: nameInOtherCase }),
    ],
  ];
}
