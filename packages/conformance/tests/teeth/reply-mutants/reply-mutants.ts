import { readFileSync } from 'node:fs';
import { startTarget } from '../../../../../tests/support/start-target';
import { judge } from '../../../src/oracle/judge';
import type { Oracle } from '../../../src/oracle/checks';
import { createSuite } from '../../../src/suite';
import type { WireReply } from '../../../src/wire/reply';
import { OPTIONS } from '../find-complaint';
import { demand, sampleOf, type Progress, type Proof, type Verdict } from '../proof';
import { bodyMutants, propertyMutants } from './body-mutants';
import { recordExchanges, type Exchange, type ReplyMutant } from './exchange';
import { headerMutants, statusMutants } from './message-mutants';

const TITLE = 'reply mutants';

/** Good replies, altered in one thing each; the oracle alone has to notice. */
export async function proveReplyMutants(file: string, progress: Progress, extent: number): Promise<Proof> {
  const suite = createSuite(readFileSync(file, 'utf8'), OPTIONS);
  const { cases, oracleFor } = suite;
  await using target = await startTarget(suite);
  const oracle = oracleFor(target.secrets);
  const exchanges = await recordExchanges(oracle, target, sampleOf(cases, extent));
  const verdicts: Verdict[] = [];
  for (const [index, exchange] of exchanges.entries()) {
    for (const mutant of mutantsOf(exchange, exchanges)) verdicts.push(judgeMutant(oracle, exchange, mutant));
    progress(TITLE, index + 1, exchanges.length);
  }
  const control = exchanges
    .map((exchange) => complaintOf(oracle, exchange, exchange.reply))
    .find((complaint) => complaint !== undefined);
  return { title: TITLE, ...demand({ least: 3_000, threshold: 97 }, extent), control, verdicts };
}

function mutantsOf(exchange: Exchange, others: readonly Exchange[]): ReplyMutant[] {
  return [
    ...statusMutants(exchange),
    { kind: 'another form', name: 'HTTP/1.0', reply: { ...exchange.reply, oddities: ['it is HTTP/1.0'] } },
    ...headerMutants(exchange),
    ...bodyMutants(exchange, others),
    ...propertyMutants(exchange),
  ];
}

function judgeMutant(oracle: Oracle, exchange: Exchange, { kind, name, accepted, reply }: ReplyMutant): Verdict {
  const { class: group, label } = exchange.case;
  return { kind, name: `${group}, ${label}: ${name}`, accepted, complaint: complaintOf(oracle, exchange, reply) };
}

function complaintOf(oracle: Oracle, { case: one }: Exchange, reply: WireReply): string | undefined {
  return judge(oracle, one, reply)[0]?.text;
}
