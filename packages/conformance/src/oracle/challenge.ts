// Judges the WWW-Authenticate header of a 401 or a 403.
import type { Case } from '../case';
import type { Operation } from '../contract/model';
import { valuesOf, type WireReply } from '../wire/reply';
import { toFindings, type Finding } from './checks';

/** One challenge of a WWW-Authenticate header, such as `Bearer realm="books"`. */
interface Challenge {
  /** In lower case. */
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** The challenges of a 401: RFC 9110 section 11.6.1, RFC 6750 section 3 (bearer), RFC 7617 section 2 (basic). */
export function judgeChallenge({ alternatives }: Operation, testCase: Case, reply: WireReply): Finding[] {
  const values = valuesOf(reply, 'www-authenticate');
  if (values.length === 0) return toFindings('challenge', ['a 401 has no challenge']);
  const challenges = parseChallenges(values);
  if (!challenges) return toFindings('challenge', [`the challenge is malformed: ${values.join(', ')}`]);
  const acceptedKinds = new Set(alternatives.flat().map(({ kind }) => kind));
  const sentSchemes = challenges.map(({ scheme }) => scheme);
  const hasSchemeTwice = new Set(sentSchemes).size < sentSchemes.length;
  const lacksRealm = acceptedKinds.has('basic') && !findChallenge(challenges, 'basic')?.parameters.has('realm');
  return [
    ...toFindings('challenge error', hasSchemeTwice ? ['the challenge names a scheme twice'] : []),
    ...(acceptedKinds.has('bearer') ? judgeBearer(testCase, findChallenge(challenges, 'bearer')) : []),
    ...toFindings('challenge parameters', lacksRealm ? ['the challenge names no basic with a realm'] : []),
  ];
}

/** Judges the challenge of a 403 for a token without scopes (RFC 6750 section 3.1). */
export function judgeScopeChallenge(reply: WireReply): Finding[] {
  const challenges = parseChallenges(valuesOf(reply, 'www-authenticate'));
  if (!challenges) return toFindings('challenge parameters', ['the challenge is malformed']);
  const bearer = findChallenge(challenges, 'bearer');
  if (!bearer || bearer.parameters.size === 0)
    return toFindings('challenge parameters', ['the 403 names no bearer with a parameter']);
  const namesScopes = bearer.parameters.get('error') === 'insufficient_scope';
  return toFindings('challenge error', namesScopes ? [] : ['the challenge does not say insufficient_scope']);
}

// `error="invalid_token"` for wrong credentials, but no error where the request had none (RFC 6750 section 3.1).
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

function findChallenge(challenges: readonly Challenge[], scheme: string): Challenge | undefined {
  return challenges.find((challenge) => challenge.scheme === scheme);
}

// Undefined when one of them is malformed.
function parseChallenges(headers: readonly string[]): Challenge[] | undefined {
  const parsed = headers.map(parseHeader).filter((challenges) => challenges !== undefined);
  return parsed.length === headers.length ? parsed.flat() : undefined;
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const SCHEME = new RegExp(`^${TOKEN}$`);
// `name=token` or `name="quoted"`, after a scheme if it is the first parameter of a challenge.
const PARAMETER = new RegExp(`^(?:(${TOKEN}) +)?(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")$`);
// The items between the commas of a list, also empty ones; a comma in quotes separates nothing.
const ITEMS = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+|(?<=,)(?=,|$)|^$/g;

// Such as `Bearer realm="a", error="b", Basic realm="c"`: an item with a scheme begins a challenge, any other one is a
// parameter of the challenge before. Undefined when it is malformed.
function parseHeader(header: string): Challenge[] | undefined {
  const challenges: { scheme: string; parameters: Map<string, string> }[] = [];
  for (const item of header.match(ITEMS) ?? []) {
    const [, scheme, name, token, quoted] = PARAMETER.exec(item.trim()) ?? [];
    const isParameter = name !== undefined;
    if (scheme !== undefined || !isParameter) {
      const newScheme = scheme ?? item.trim();
      if (!SCHEME.test(newScheme)) return undefined;
      challenges.push({ scheme: newScheme.toLowerCase(), parameters: new Map() });
    }
    if (!isParameter) continue;
    const challenge = challenges.at(-1);
    // A parameter before any scheme, or twice in a challenge.
    if (!challenge || challenge.parameters.has(name.toLowerCase())) return undefined;
    challenge.parameters.set(name.toLowerCase(), token ?? quoted ?? '');
  }
  return challenges;
}
