import type { Case, Expectation } from '../case';
import type { Operation, Scheme } from '../contract/model';
import type { Values } from '../values/variant';
import type { WireRequest } from '../wire/request';
import { credentialsFor, presented, toBody, validRequest, type Credentials } from './valid-request';

const NONE: Credentials = { headers: [], query: [], cookies: [] };

/** Credentials of every alternative: right, missing, nearly right, and presented in ways that do not count. */
export function auth(values: Values, operation: Operation): Case[] {
  const made = (pointer: string, [label, expect, credentials]: Attempt, alternative?: number): Case => ({
    operation: operation.id,
    class: 'auth',
    pointer,
    label,
    covers: [],
    request: validRequest(values, operation, { credentials }),
    expect,
    ...(alternative !== undefined && { alternative }),
  });
  const isPublic = operation.alternatives.some((schemes) => schemes.length === 0);
  const right = operation.alternatives.map((schemes, alternative) => {
    const names = schemes.map(({ name }) => name);
    const label = `alternative ${String(alternative)}, ${names.length > 0 ? names.join(' and ') : 'none'}`;
    return made(operation.pointer, [label, 'accepted', credentialsFor(schemes)], alternative);
  });
  if (isPublic) return right;
  const schemes = [...new Map(operation.alternatives.flat().map((scheme) => [scheme.name, scheme])).values()];
  const combined = operation.alternatives.filter(({ length }) => length > 1);
  return [
    ...right,
    made(operation.pointer, ['no credentials', 'no credentials', NONE]),
    ...withWrongBody(
      operation,
      made(operation.pointer, ['no credentials, and a body that is wrong', 'no credentials', NONE]),
    ),
    ...combined.flatMap((all) =>
      all.map((left) => {
        const others = credentialsFor(all.filter((one) => one !== left));
        return made(left.pointer, [`without ${left.name}`, 'refused', others]);
      }),
    ),
    ...schemes.flatMap((scheme) => wrong(scheme).map((attempt) => made(scheme.pointer, attempt))),
  ];
}

function withWrongBody({ body }: Operation, one: Case): Case[] {
  if (!body) return [];
  const request: WireRequest = { ...one.request, body: toBody('{') };
  return [{ ...one, request }];
}

type Attempt = [label: string, expect: Expectation, credentials: Credentials];

function wrong(scheme: Scheme): Attempt[] {
  const { name, kind } = scheme;
  const secret = `\${${name}}`;
  const missed: Attempt[] = [
    ['a wrong secret', 'wrong credentials', presented(scheme, kind === 'basic' ? 'eDp5' : 'wrong')],
    ['a secret without its last sign', 'wrong credentials', presented(scheme, `\${${name}%?}`)],
    ['a secret without its first sign', 'wrong credentials', presented(scheme, `\${${name}#?}`)],
    ['a secret with a sign more', 'wrong credentials', presented(scheme, `${secret}x`)],
    ['a secret in the other case', 'wrong credentials', presented(scheme, `\${${name}~~}`)],
    ['the secret twice in a row', 'wrong credentials', presented(scheme, `${secret}${secret}`)],
  ];
  if (kind === 'apiKey') return [...missed, ['an empty secret', 'refused', presented(scheme, '')]];
  const authorization = (value: string): Credentials => ({ ...NONE, headers: [['Authorization', value]] });
  const word = kind === 'basic' ? 'Basic' : 'Bearer';
  const other = kind === 'basic' ? 'Bearer' : 'Basic';
  const encoded = kind === 'basic' ? `\${${name}@base64}` : secret;
  return [
    ...missed,
    // RFC 9110 section 11.1: schemes have no case.
    ...[word.toLowerCase(), word.toUpperCase()].map((spelled): Attempt => [
      `the scheme as ${spelled}`,
      'accepted',
      authorization(`${spelled} ${encoded}`),
    ]),
    ['an empty header', 'no credentials', authorization('')],
    ['the scheme alone', 'refused', authorization(word)],
    ['another scheme', 'no credentials', authorization(`${other} ${encoded}`)],
    ['an unknown scheme', 'no credentials', authorization(`Wonder ${encoded}`)],
    ['a scheme that ends in the right one', 'no credentials', authorization(`X${word} ${encoded}`)],
    ['a scheme that begins with the right one', 'no credentials', authorization(`${word}X ${encoded}`)],
    ['no scheme', 'no credentials', authorization(encoded)],
    ['a quoted secret', 'wrong credentials', authorization(`${word} "${encoded}"`)],
    ['a secret and a comma', 'wrong credentials', authorization(`${word} ${encoded},`)],
    ['a secret and a parameter', 'wrong credentials', authorization(`${word} ${encoded} x=1`)],
    ['a tab instead of a space', 'refused', authorization(`${word}\t${encoded}`)],
    [
      'the header twice',
      'refused',
      {
        ...NONE,
        headers: [
          ['Authorization', `${word} ${encoded}`],
          ['Authorization', `${word} ${encoded}`],
        ],
      },
    ],
    [
      'the right header and a wrong one',
      'refused',
      {
        ...NONE,
        headers: [
          ['Authorization', `${word} ${encoded}`],
          ['Authorization', `${word} wrong`],
        ],
      },
    ],
    [
      'a wrong header and the right one',
      'refused',
      {
        ...NONE,
        headers: [
          ['Authorization', `${word} wrong`],
          ['Authorization', `${word} ${encoded}`],
        ],
      },
    ],
    [
      'the secret in another header',
      'no credentials',
      { ...NONE, headers: [['X-Authorization', `${word} ${encoded}`]] },
    ],
    [
      'the secret in a cookie',
      'no credentials',
      { ...NONE, cookies: [`Authorization=${secret}`, `access_token=${secret}`] },
    ],
    // RFC 6750 section 2.3: in the query only where the contract says so.
    ['the secret in the query', 'refused', { ...NONE, query: [`access_token=\${${name}@uri}`] }],
  ];
}
