import type { Case } from '../case';
import type { Operation, Reply } from '../contract/model';
import { typesOf, type Schema } from '../contract/schema';
import { readNumber, type Json } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import type { Oracle } from './judge';

// Of the connection, of every message, and of what may stand between a client and the server.
const INFRASTRUCTURE = new Set([
  ...['connection', 'keep-alive', 'transfer-encoding', 'trailer', 'upgrade', 'via', 'server', 'alt-svc'],
  ...['date', 'content-type', 'content-length', 'cache-control', 'vary', 'age', 'nel', 'report-to', 'server-timing'],
  ...['strict-transport-security', 'x-content-type-options', 'x-request-id', 'traceparent', 'tracestate'],
]);

interface Replies {
  readonly reply: WireReply;
  /** What the contract declares for the status. */
  readonly declared: Reply | undefined;
  /** The same, or what the protocol's own replies are like. */
  readonly expected: Reply | undefined;
}

export function judgeHeaders(oracle: Oracle, operation: Operation, one: Case, replies: Replies): string[] {
  const { reply, declared, expected } = replies;
  return [
    ...judgeMediaType(one, reply, expected),
    ...judgeDeclared(oracle, reply, declared),
    ...(reply.status === 405 ? judgeAllow(one, reply) : []),
    ...(reply.status === 401 ? judgeChallenge(operation, one, reply) : []),
    ...reply.headers
      .map(([name]) => name)
      .filter(
        (name) =>
          !INFRASTRUCTURE.has(name) && !declared?.headers.has(name) && !(reply.status === 405 && name === 'allow'),
      )
      .map((name) => `the header ${name} is not declared`),
    ...[...new Set(reply.headers.map(([name]) => name))]
      .filter((name) => name !== 'set-cookie' && name !== 'www-authenticate' && valuesOf(reply, name).length > 1)
      .map((name) => `the header ${name} is there twice`),
  ];
}

// RFC 8259 defines no parameter of application/json.
function judgeMediaType(one: Case, reply: WireReply, expected: Reply | undefined): string[] {
  const types = valuesOf(reply, 'content-type');
  const wanted = one.request.method === 'HEAD' && types.length === 0 ? undefined : expected?.mediaType;
  return types.join() === (wanted ?? '')
    ? []
    : [`the media type is ${types.join() || 'missing'}, not ${wanted ?? 'missing'}`];
}

function judgeDeclared({ validate }: Oracle, reply: WireReply, declared: Reply | undefined): string[] {
  return [...(declared?.headers ?? [])].flatMap(([name, { isRequired, schema }]) => {
    const [value] = valuesOf(reply, name);
    if (value === undefined) return isRequired ? [`the header ${name} is missing`] : [];
    const json = toJson(schema, value);
    const wrong = schema.places.flatMap(({ pointer }) => validate(pointer, json));
    return wrong.map((problem) => `the header ${name}: ${problem}`);
  });
}

function toJson(schema: Schema, text: string): Json {
  const types = typesOf(schema);
  const isNumber = (types.has('integer') || types.has('number')) && !types.has('string');
  if (isNumber && /^-?\d+(?:\.\d+)?$/.test(text)) return readNumber(text);
  return types.has('boolean') && !types.has('string') && /^(?:true|false)$/.test(text) ? text === 'true' : text;
}

// RFC 9110 section 10.2.1.
function judgeAllow({ allow = [] }: Case, reply: WireReply): string[] {
  const listed = valuesOf(reply, 'allow')
    .join()
    .split(',')
    .map((method) => method.trim());
  const isExact = listed.length === allow.length && allow.every((method) => listed.includes(method));
  return isExact ? [] : [`Allow is ${listed.join(', ') || 'missing'}, not ${allow.join(', ')}`];
}

// RFC 9110 section 11.6.1, RFC 6750 section 3, RFC 7617 section 2.
function judgeChallenge({ alternatives }: Operation, one: Case, reply: WireReply): string[] {
  const challenge = valuesOf(reply, 'www-authenticate').join(', ');
  const kinds = new Set(alternatives.flat().map(({ kind }) => kind));
  const problems: string[] = [];
  if (challenge === '') return ['a 401 has no challenge'];
  for (const [kind, form] of [
    ['bearer', /(?:^|, )Bearer [\w-]+="/],
    ['basic', /(?:^|, )Basic realm="/],
  ] as const) {
    if (kinds.has(kind) && !form.test(challenge))
      problems.push(`the challenge names no ${kind} with a parameter: ${challenge}`);
  }
  if (!kinds.has('bearer')) return problems;
  const error = /error="([^"]*)"/.exec(challenge)?.[1];
  if (one.expect === 'wrong credentials' && error !== 'invalid_token')
    problems.push('the challenge does not say invalid_token');
  if (one.expect === 'no credentials' && error !== undefined)
    problems.push('the challenge speaks of an error, where there were no credentials');
  return problems;
}
