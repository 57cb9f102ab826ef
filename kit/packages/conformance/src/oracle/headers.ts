import type { Case } from '../generators/case';
import type { Operation, Reply, Serialization } from '../contract/model';
import { valuesOf, type WireReply } from '../wire/reply';
import { findContent, readContent } from '../contract/serialization';
import { judgeBySchema } from './body';
import { toFindings, type Finding, type Oracle } from './checks';
import { itemOf, propertiesOf, typesOf, type Schema } from '../contract/schema';
import { readNumber, type Json } from '../wire/json';

interface ReplyWithDeclaration {
  readonly reply: WireReply;
  readonly declared: Reply | undefined;
}

export function judgeHeaders(
  oracle: Oracle,
  operation: Operation,
  testCase: Case,
  replies: ReplyWithDeclaration,
): Finding[] {
  const { reply, declared } = replies;
  return [
    ...toFindings('content-type', judgeMediaType(testCase, reply, declared)),
    ...toFindings('header-syntax', judgeSyntax(reply)),
    ...toFindings('declared-header', judgeDeclaredHeaders(oracle, reply, declared)),
    ...(reply.status === 405 ? judgeAllow(oracle, operation, testCase, reply) : []),
    ...(reply.status === 401 || (reply.status === 403 && testCase.expect === 'insufficient scope')
      ? judgeChallenge(operation, testCase, reply)
      : []),
  ];
}

// RFC 9110 section 5.6.7: servers must send dates in this form.
const HTTP_DATE = '(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), \\d\\d [A-Z][a-z]{2} \\d{4} \\d\\d:\\d\\d:\\d\\d GMT';
const FIELD_SYNTAX = {
  etag: /^(?:W\/)?"[!#-~\x80-\xff]*"$/,
  'last-modified': new RegExp(`^${HTTP_DATE}$`),
  'retry-after': new RegExp(`^(?:\\d+|${HTTP_DATE})$`),
  // Range units other than bytes have their own syntax.
  'content-range': /^(?!bytes )|^bytes (?:\d+-\d+\/(?:\d+|\*)|\*\/\d+)$/,
};

function judgeSyntax(reply: WireReply): string[] {
  return Object.entries(FIELD_SYNTAX).flatMap(([name, syntax]) =>
    valuesOf(reply, name).flatMap((value) => (syntax.test(value) ? [] : [`the header ${name} is malformed: ${value}`])),
  );
}

// If no media type is declared, any is allowed.
function judgeMediaType({ request }: Case, reply: WireReply, declared: Reply | undefined): string[] {
  const type = valuesOf(reply, 'content-type').join();
  const contents = declared?.contents ?? [];
  if (contents.length === 0 || findContent(contents, type) || (type === '' && request.method === 'HEAD')) return [];
  const declaredTypes = contents.map(({ mediaType }) => mediaType).join(' or ');
  return [`Content-Type is ${type || 'missing'}, but should be ${declaredTypes}`];
}

function judgeDeclaredHeaders({ validate }: Oracle, reply: WireReply, declared: Reply | undefined): string[] {
  return [...(declared?.headers ?? [])].flatMap(([name, header]) => {
    if (header.skipReason) return [];
    const texts = valuesOf(reply, name);
    const [text] = texts;
    if (text === undefined) return header.isRequired ? [`the header ${name} is missing`] : [];
    // RFC 9110 section 5.3: cookies cannot be joined with commas, so each has its own header line.
    const isCookieList = name.toLowerCase() === 'set-cookie' && typesOf(header.schema).has('array');
    const value = isCookieList ? texts : readHeader(header, text);
    if (value === undefined) return [`the header ${name} is not serialized as the contract says`];
    return judgeBySchema(validate, header.schema, value).map((error) => `the header ${name}: ${error}`);
  });
}

// The texts do not contain the path, so that the report groups all paths as one cause.
function judgeAllow({ model }: Oracle, { path, server }: Operation, { expect }: Case, reply: WireReply): Finding[] {
  const allow = valuesOf(reply, 'allow');
  if (allow.length === 0) return toFindings('allow-header', ['Allow, the list of the methods of the path, is missing']);
  const allowed = allow.join().split(/[ \t,]+/);
  const ofPath = model.operations.filter((other) => other.path === path && other.server?.path === server?.path);
  const missing = ofPath.flatMap(({ method }) => (allowed.includes(method) ? [] : [method])).join(', ');
  // For other requests, the allowed methods may depend on a path or a state that the contract does not describe.
  if (missing === '' || expect !== 'unknown method') return [];
  return toFindings('allow-header', [`Allow lacks ${missing}, which the contract declares for the path`]);
}

/** Reads `a,1,b,2` (or `a=1,b=2`, if exploded) as `{ a: 1, b: 2 }`. Returns undefined if the text is malformed. */
function readHeader({ schema, style, isExploded }: Serialization, text: string): Json | undefined {
  if (style === 'json') {
    const json = readContent({ kind: 'json' }, Buffer.from(text, 'latin1'));
    return json instanceof Error ? undefined : json;
  }
  const types = typesOf(schema);
  // A string may contain commas.
  if (types.has('string')) return readScalar(schema, text);
  const items = text.split(',').map((item) => item.trim());
  if (types.has('array')) return items.map((item, index) => readScalar(itemOf(schema, index), item));
  if (!types.has('object')) return readScalar(schema, text);
  const pairs = isExploded ? items.map((item) => item.split(/=(.*)/s, 2)) : splitIntoPairs(items);
  if (pairs.some((pair) => pair.length !== 2)) return undefined;
  const properties = propertiesOf(schema);
  return Object.fromEntries(
    pairs.map(([name = '', value = '']) => [name, readScalar(properties.get(name), value)] as const),
  );
}

function splitIntoPairs(items: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(items.length / 2) }, (_unused, index) => items.slice(2 * index, 2 * index + 2));
}

const INTEGER = /^(?:0|-?[1-9]\d*)$/;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?$/;

// Text that does not have the right type is returned unchanged, so that the validator reports it.
function readScalar(schema: Schema | undefined, text: string): Json {
  if (!schema) return text;
  const types = typesOf(schema);
  if (types.has('string')) return text;
  const isNumber = (types.has('number') && NUMBER.test(text)) || (types.has('integer') && INTEGER.test(text));
  if (isNumber) return readNumber(text);
  const isBoolean = types.has('boolean') && (text === 'true' || text === 'false');
  return isBoolean ? text === 'true' : text;
}

interface Challenge {
  readonly scheme: string;
  readonly parameters: ReadonlyMap<string, string>;
}

/** Checks WWW-Authenticate (RFC 9110 section 11.6.1, RFC 6750 section 3). */
function judgeChallenge({ securityRequirements }: Operation, testCase: Case, reply: WireReply): Finding[] {
  const values = valuesOf(reply, 'www-authenticate');
  const is401 = reply.status === 401;
  if (is401 && values.length === 0) return toFindings('www-authenticate', ['the 401 has no WWW-Authenticate header']);
  const challenges = parseChallenges(values);
  if (!challenges) return toFindings('www-authenticate', [`WWW-Authenticate is malformed: ${values.join(', ')}`]);
  const acceptedKinds = new Set(securityRequirements.flat().map(({ kind }) => kind));
  const challenge = challenges.find(({ scheme }) => scheme === 'bearer');
  return challenge && acceptedKinds.has('bearer') ? judgeBearerChallenge(testCase, challenge) : [];
}

// RFC 6750 section 3.1: the challenge has no error code if the request had no credentials.
function judgeBearerChallenge({ expect }: Case, challenge: Challenge): Finding[] {
  const error = challenge.parameters.get('error');
  if (expect === 'no credentials' && error !== undefined)
    return toFindings('www-authenticate-error', [
      'WWW-Authenticate has an error code, although the request had no credentials',
    ]);
  const expected = expect === 'insufficient scope' ? 'insufficient_scope' : 'invalid_token';
  const mayOmitError = expect !== 'wrong credentials' && expect !== 'insufficient scope';
  const hasCorrectError = error === expected || (error === undefined && mayOmitError);
  return toFindings('www-authenticate-error', hasCorrectError ? [] : [`WWW-Authenticate lacks error="${expected}"`]);
}

function parseChallenges(headers: readonly string[]): Challenge[] | undefined {
  const parsedHeaders = headers.map(parseHeader).filter((challenges) => challenges !== undefined);
  return parsedHeaders.length === headers.length ? parsedHeaders.flat() : undefined;
}

const TOKEN = "[\\w!#$%&'*+.^`|~-]+";
const SCHEME = new RegExp(`^${TOKEN}$`);
// Matches `name=token` or `name="quoted"`, with a scheme before the first parameter of a challenge.
const PARAMETER = new RegExp(`^(?:(${TOKEN}) +)?(${TOKEN})=(?:(${TOKEN})|"((?:[^"\\\\]|\\\\.)*)")$`);
// Matches the items between commas, including empty items. Commas in quotes do not separate items.
const ITEMS = /(?:[^,"]|"(?:[^"\\]|\\.)*"?)+|(?<=,)(?=,|$)|^$/g;

// An item with a scheme begins a challenge. Any other item is another parameter of that challenge.
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
    // A parameter must follow a scheme, and must not occur twice in a challenge.
    if (!challenge || challenge.parameters.has(name.toLowerCase())) return undefined;
    challenge.parameters.set(name.toLowerCase(), token ?? quoted ?? '');
  }
  return challenges;
}
