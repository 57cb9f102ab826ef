// Good replies, altered in one thing each that the contract or HTTP forbids: the oracle alone has to notice.
import { readFileSync } from 'node:fs';
import { startTarget } from '@contract-kit/test-support/start-target';
import { requiredOf } from '../../src/contract/schema';
import { findReply, operationOf } from '../../src/contract/model';
import { levelOf, type Case } from '../../src/generators/case';
import { jsonBodyOf, replyContentOf } from '../../src/oracle/body';
import { judge } from '../../src/oracle/judge';
import type { Oracle } from '../../src/oracle/checks';
import { sendCase, type Target } from '../../src/exchange/exchange';
import { createSuite } from '../../src/suite';
import { isJsonObject, Members, omit, writeJson, type Json, type JsonObject, type Wire } from '../../src/wire/json';
import { readReply, type WireReply } from '../../src/wire/reply';
import { OPTIONS } from './find-complaint';
import { demand, sampleOf, type Progress, type Proof, type Seeded, type Verdict } from './proof';

/** A request, and the good reply that it got. */
interface Exchange {
  readonly case: Case;
  readonly reply: WireReply;
  readonly body: JsonObject;
  readonly required: readonly string[];
}

/** A reply that is not what it was. */
interface ReplyMutant extends Seeded {
  readonly reply: WireReply;
}

const TITLE = 'reply mutants';
const MAX_BODY = 500;

export async function proveReplyMutants(file: string, progress: Progress, extent: number): Promise<Proof> {
  const suite = createSuite(readFileSync(file, 'utf8'), OPTIONS);
  await using target = await startTarget(suite);
  const oracle = suite.oracleFor(target.secrets);
  const exchanges = await recordExchanges(oracle, target, sampleOf(suite.cases, extent));
  const verdicts: Verdict[] = [];
  for (const [index, exchange] of exchanges.entries()) {
    for (const { kind, name, reply } of mutantsOf(exchange)) {
      const complaint = judge(oracle, exchange.case, reply)[0]?.text;
      verdicts.push({ kind, name: `${exchange.case.class}, ${exchange.case.label}: ${name}`, complaint });
    }
    progress(TITLE, index + 1, exchanges.length);
  }
  const control = exchanges.flatMap(({ case: one, reply }) => judge(oracle, one, reply))[0]?.text;
  return { title: TITLE, ...demand({ least: 1_000, threshold: 100 }, extent), control, verdicts };
}

/** One good exchange for each sort of declared reply with an object. */
async function recordExchanges(oracle: Oracle, target: Target, cases: readonly Case[]): Promise<Exchange[]> {
  const found = new Map<string, Exchange>();
  // What else HTTP or a proxy may answer says nothing of the contract.
  const isTelling = ({ before, situation, expect, request: { changeHead } }: Case): boolean =>
    !before && !situation && !changeHead && !/^(?:answered|unknown)/.test(expect);
  for (const one of cases.filter((each) => isTelling(each) && levelOf(each) === 'contract')) {
    const reply = readReply(await sendCase(target, one), one.request.method);
    const declared = findReply(operationOf(oracle.model, one), reply.status);
    const content = declared && replyContentOf(declared, reply);
    const body = jsonBodyOf(reply);
    const sort = [one.class, one.expect, reply.status, reply.body.toString('latin1')].join('\n');
    if (!content || !isJsonObject(body) || found.has(sort) || reply.body.length > MAX_BODY) continue;
    found.set(sort, { case: one, reply, body, required: [...requiredOf(content.schema).keys()] });
  }
  return [...found.values()];
}

const REQUIRED_HEADERS = new Set(['content-type', 'www-authenticate', 'retry-after']);

function mutantsOf({ reply, body, required }: Exchange): ReplyMutant[] {
  const ofBody = (kind: string, name: string, sent: string | Buffer): ReplyMutant => ({
    ...{ kind, name, reply: { ...reply, body: Buffer.from(sent) } },
  });
  const ofObject = (kind: string, name: string, value: Wire): ReplyMutant => ofBody(kind, name, writeJson(value));
  const ofHeaders = (kind: string, name: string, headers: WireReply['headers']): ReplyMutant => ({
    ...{ kind, name, reply: { ...reply, headers } },
  });
  const text = reply.body.toString('utf8');
  return [
    ...[201, 202, 206, 500, 502, 504]
      .filter((status) => status !== reply.status)
      .map((status) => ({ kind: 'another status', name: String(status), reply: { ...reply, status } })),
    ...reply.headers
      .filter(([name]) => REQUIRED_HEADERS.has(name))
      .map(([name]) =>
        ofHeaders(
          'header dropped',
          name,
          reply.headers.filter(([other]) => other !== name),
        ),
      ),
    ...['text/html', 'application/problem+json', 'json'].map((type) =>
      ofHeaders('another media type', type, [
        ...reply.headers.filter(([name]) => name !== 'content-type'),
        ['content-type', type],
      ]),
    ),
    ...[0, 1, reply.body.length / 3, reply.body.length / 2, reply.body.length - 1]
      .map(Math.floor)
      .map((length) => ofBody('body cut', `at byte ${String(length)}`, reply.body.subarray(0, length))),
    ...WHOLES.map(([name, change]) => ofBody('body as a whole', name, change(text))),
    ...encodings(reply.body).map(([name, sent]) => ofBody('body in other bytes', name, sent)),
    ...required.flatMap((name) => [
      ofObject('property dropped', name, omit(body, name)),
      ofObject('property renamed', name, { ...omit(body, name), [name.toUpperCase()]: body[name] ?? null }),
    ]),
    ...Object.entries(body).flatMap(([name, value]) => [
      ofObject('property doubled', name, new Members([...Object.entries(body), [name, value]])),
      ...ofOtherTypes(value).map((other) =>
        ofObject('another type', `${name}: ${writeJson(other)}`, { ...body, [name]: other }),
      ),
    ]),
  ];
}

const WHOLES: readonly (readonly [name: string, change: (text: string) => string])[] = [
  ['null', () => 'null'],
  ['a number', () => '1'],
  ['an empty object', () => '{}'],
  ['only white space', () => ' \n'],
  ['an array of it', (text) => `[${text}]`],
  ['inside of data', (text) => `{"data":${text}}`],
  ['as a string', (text) => JSON.stringify(text)],
  ['twice', (text) => text + text],
  ['garbage after it', (text) => `${text}x`],
  ['HTML', () => '<!DOCTYPE html><title>Error</title>'],
  ['a comma at its end', (text) => text.replace(/}$/, ',}')],
];

function encodings(body: Buffer): [name: string, sent: Buffer][] {
  const middle = Math.ceil(body.length / 2);
  const insert = (...bytes: number[]): Buffer =>
    Buffer.concat([body.subarray(0, middle), Buffer.from(bytes), body.subarray(middle)]);
  return [
    ['UTF-16', Buffer.from(body.toString('utf8'), 'utf16le')],
    ['a byte that never occurs', insert(0xff)],
    ['an overlong slash', insert(0xc0, 0xaf)],
    ['a surrogate', insert(0xed, 0xa0, 0x80)],
  ];
}

function ofOtherTypes(value: Json): Wire[] {
  const all: Wire[] = [null, true, 0n, 1.5, 'text', [], {}, [value], { value }];
  return all.filter((other) => other === null || typeof other !== typeof value);
}
