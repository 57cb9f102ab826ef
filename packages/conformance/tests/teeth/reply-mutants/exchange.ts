import { isUtf8 } from 'node:buffer';
import type { Case } from '../../../src/generators/case';
import { operationOf, type Model } from '../../../src/contract/model';
import { propertiesOf } from '../../../src/contract/schema';
import { jsonBodyOf, requestContentOf } from '../../../src/oracle/body';
import { judge } from '../../../src/oracle/judge';
import type { Oracle } from '../../../src/oracle/checks';
import { sendCase, type Target } from '../../../src/exchange/exchange';
import { isPossible } from '../../../src/exchange/run-case';
import { isJsonObject, type Json, type JsonObject } from '../../../src/wire/json';
import { readReply, type WireReply } from '../../../src/wire/reply';
import type { Seeded } from '../proof';

/** A request and the good reply that it got. */
export interface Exchange {
  readonly case: Case;
  readonly reply: WireReply;
  /** Of the reply, where it has an object. */
  readonly body: JsonObject | undefined;
  /** The names of the reply's properties that the request has too. */
  readonly echoed: ReadonlySet<string>;
}

/** A reply that is not what it was. */
export interface ReplyMutant extends Seeded {
  readonly reply: WireReply;
}

const MAX_BODY = 500;

/** One good exchange for each sort of reply; those with a success each, since their bodies are not alike. */
export async function recordExchanges(oracle: Oracle, target: Target, cases: readonly Case[]): Promise<Exchange[]> {
  const found = new Map<string, Exchange>();
  // What may be answered in any way says nothing of a reply.
  const telling = cases.filter((each) => !each.before && each.expect !== 'answered');
  for (const one of telling.filter((each) => isPossible(target, each))) {
    const reply = readReply(await sendCase(target, one), one.request.method);
    const problems = judge(oracle, one, reply);
    if (problems.length > 0)
      throw new Error(`a reply to be altered is not good: ${problems.map(({ text }) => text).join(', ')}`);
    const body = jsonBodyOf(reply);
    const sort = [one.class, one.expect, one.request.method, reply.status, reply.body.toString('latin1')].join('\n');
    if (found.has(sort) || reply.body.length > MAX_BODY) continue;
    found.set(sort, {
      case: one,
      reply,
      body: isJsonObject(body) ? body : undefined,
      echoed: echoedBy(oracle.model, one, body),
    });
  }
  return [...found.values()];
}

function echoedBy(model: Model, one: Case, body: Json | undefined): Set<string> {
  const asked = requestContentOf(operationOf(model, one), one);
  const isSent = one.request.body !== undefined && isUtf8(one.request.body);
  if (one.expect !== 'accepted' || !asked || !isSent || !isJsonObject(body)) return new Set();
  return new Set([...propertiesOf(asked.schema).keys()].filter((name) => name in body));
}
