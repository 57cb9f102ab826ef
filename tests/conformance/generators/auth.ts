import type { Case, Expectation } from '../case';
import type { Operation, Scheme } from '../contract/model';
import type { Values } from '../values/variant';
import { secretOf, type Change } from '../wire/secret';
import {
  credentialsFor,
  presented,
  presentedText,
  toBody,
  together,
  validRequest,
  type Credentials,
} from './valid-request';

const NONE: Credentials = { headers: [], query: [], cookies: [] };

/** Credentials of every alternative: right, missing, nearly right, and presented in ways that do not count. */
export function auth(values: Values, operation: Operation): Case[] {
  const { alternatives, pointer: place, body } = operation;
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
  const right = alternatives.map((schemes, alternative) => {
    const names = schemes.map(({ name }) => name);
    const label = `alternative ${String(alternative)}, ${names.length > 0 ? names.join(' and ') : 'none'}`;
    return made(place, [label, 'accepted', credentialsFor(schemes)], alternative);
  });
  if (alternatives.some((schemes) => schemes.length === 0)) return right;
  const missing = made(place, ['no credentials', 'no credentials', NONE]);
  const early = { ...missing, label: 'no credentials, and a body that is wrong' };
  return [
    ...right,
    missing,
    ...(body ? [{ ...early, request: { ...missing.request, body: toBody('{') } }] : []),
    ...alternatives.flatMap((schemes) =>
      schemes.flatMap((scheme) =>
        allButOne(operation, schemes, scheme).map((attempt) => made(scheme.pointer, attempt)),
      ),
    ),
  ];
}

type Attempt = readonly [label: string, expect: Expectation, credentials: Credentials];

/** All that an alternative needs, but for one scheme, which is presented in every wrong way. */
function allButOne({ alternatives }: Operation, schemes: readonly Scheme[], scheme: Scheme): Attempt[] {
  const others = schemes.filter((one) => one !== scheme);
  const right = credentialsFor(others);
  const beside = others.map(({ name }) => `, beside ${name}`).join('');
  const kinds = new Set(alternatives.flat().map(({ kind }) => kind));
  // What a challenge has to say of it is only clear where there is one scheme, a bearer token.
  const isClear = alternatives.length === 1 && others.length === 0 && kinds.has('bearer');
  const without: Attempt[] = others.length > 0 ? [[`without ${scheme.name}`, 'refused', NONE]] : [];
  return [...without, ...wrongSecrets(scheme), ...wrongWays(scheme)].map(([label, expect, credentials]) => {
    const said = expect === 'accepted' || isClear ? expect : 'refused';
    return [`${label}${beside}`, said, together([right, credentials])];
  });
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
    ['a wrong secret', 'wrong credentials', presentedText(scheme, scheme.kind === 'basic' ? 'eDp5' : 'wrong')],
    ...changes.map((change): Attempt => [`the secret ${change}`, 'wrong credentials', presented(scheme, change)]),
  ];
}

/** The right secret, where or how it does not count, or in another spelling that does. */
function wrongWays(scheme: Scheme): Attempt[] {
  const { name, kind } = scheme;
  if (kind === 'apiKey') return [['an empty secret', 'refused', presentedText(scheme, '')]];
  const word = kind === 'basic' ? 'Basic' : 'Bearer';
  const other = kind === 'basic' ? 'Bearer' : 'Basic';
  const secret = secretOf(name, kind === 'basic' ? 'base64' : 'plain');
  const authorization = (...values: string[]): Credentials => ({
    ...NONE,
    headers: values.map((value) => ['Authorization', value]),
  });
  const right = `${word} ${secret}`;
  return [
    // RFC 9110 section 11.1: schemes have no case.
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
    ['a tab instead of a space', 'refused', authorization(`${word}\t${secret}`)],
    ['the header twice', 'refused', authorization(right, right)],
    ['the right header and a wrong one', 'refused', authorization(right, `${word} wrong`)],
    ['a wrong header and the right one', 'refused', authorization(`${word} wrong`, right)],
    ['the secret in another header', 'no credentials', { ...NONE, headers: [['X-Authorization', right]] }],
    [
      'the secret in a cookie',
      'no credentials',
      { ...NONE, cookies: [`Authorization=${secretOf(name, 'plain')}`, `access_token=${secretOf(name, 'plain')}`] },
    ],
    // RFC 6750 section 2.3: in the query only where the contract says so.
    ['the secret in the query', 'refused', { ...NONE, query: [`access_token=${secretOf(name, 'uri')}`] }],
  ];
}
