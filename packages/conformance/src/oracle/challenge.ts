// Judges the WWW-Authenticate header of a 401 or a 403.
import type { Case } from '../case';
import type { Operation } from '../contract/model';
import { valuesOf, type WireReply } from '../wire/reply';
import { toFindings, type Finding } from './checks';

interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Judges the challenge of a 401 (RFC 9110 section 11.6.1, RFC 6750 section 3, RFC 7617 section 2). */
export function judgeChallenge({ alternatives }: Operation, testCase: Case, reply: WireReply): Finding[] {
  const values = valuesOf(reply, 'www-authenticate');
  if (values.length === 0) return toFindings('challenge', ['a 401 has no challenge']);
  const challenges = values.map(readChallenges);
  if (challenges.includes(undefined))
    return toFindings('challenge', [`the challenge is malformed: ${values.join(', ')}`]);
  const all = challenges.flatMap((each) => each ?? []);
  const kinds = new Set(alternatives.flat().map(({ kind }) => kind));
  const find = (scheme: string): Challenge | undefined => all.find((each) => each.scheme === scheme);
  const schemes = all.map(({ scheme }) => scheme);
  return [
    ...toFindings(
      'challenge error',
      new Set(schemes).size < schemes.length ? ['the challenge names a scheme twice'] : [],
    ),
    ...(kinds.has('bearer') ? judgeBearer(testCase, find('bearer')) : []),
    ...toFindings(
      'challenge parameters',
      kinds.has('basic') && !find('basic')?.parameters.has('realm')
        ? ['the challenge names no basic with a realm']
        : [],
    ),
  ];
}

/** Judges the challenge of a 403 for a token without scopes (RFC 6750 section 3.1). */
export function judgeScopeChallenge(reply: WireReply): Finding[] {
  const challenges = valuesOf(reply, 'www-authenticate').map(readChallenges);
  if (challenges.includes(undefined)) return toFindings('challenge parameters', ['the challenge is malformed']);
  const bearer = challenges.flatMap((each) => each ?? []).find(({ scheme }) => scheme === 'bearer');
  if (!bearer || bearer.parameters.size === 0)
    return toFindings('challenge parameters', ['the 403 names no bearer with a parameter']);
  const isSaid = bearer.parameters.get('error') === 'insufficient_scope';
  return toFindings('challenge error', isSaid ? [] : ['the challenge does not say insufficient_scope']);
}

function judgeBearer({ expect }: Case, challenge: Challenge | undefined): Finding[] {
  if (!challenge || challenge.parameters.size === 0)
    return toFindings('challenge parameters', ['the challenge names no bearer with a parameter']);
  const error = challenge.parameters.get('error');
  if (expect === 'no credentials' && error !== undefined)
    return toFindings('challenge error', ['the challenge speaks of an error, where there were no credentials']);
  // The other errors of RFC 6750 section 3.1 belong to 400 and 403.
  const isRight = error === 'invalid_token' || (error === undefined && expect !== 'wrong credentials');
  return toFindings('challenge error', isRight ? [] : ['the challenge does not say invalid_token']);
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const PARAMETER = new RegExp(`^(?:(${TOKEN}) +)?(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")$`);
const SCHEME = new RegExp(`^${TOKEN}$`);
const ITEMS = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+|(?<=,)(?=,|$)|^$/g;

/** Parses a list of challenges; undefined when it is malformed. */
function readChallenges(text: string): Challenge[] | undefined {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const item of text.match(ITEMS) ?? []) {
    const [, scheme, name, token, quoted] = PARAMETER.exec(item.trim()) ?? [];
    if (scheme !== undefined || name === undefined) {
      const alone = scheme ?? item.trim();
      if (!SCHEME.test(alone)) return undefined;
      challenges.push({ scheme: alone.toLowerCase(), parameters: new Map() });
    }
    if (name === undefined) continue;
    const last = challenges.at(-1);
    if (!last || last.parameters.has(name.toLowerCase())) return undefined;
    last.parameters.set(name.toLowerCase(), token ?? quoted ?? '');
  }
  return challenges;
}
