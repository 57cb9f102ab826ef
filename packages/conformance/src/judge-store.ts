// Checks the store, in tests with access to it: refused requests changed nothing, and a POST stored what it sent.
import type { Case } from './case';
import { operationOf } from './contract/model';
import { propertiesOf } from './contract/schema';
import { sentBody, sentContent } from './oracle/echo';
import type { Oracle } from './oracle/oracle';
import type { Target } from './target';
import type { WireReply } from './wire/reply';

/** Returns what is wrong: nothing without access to the store. `before` is its state before the case was sent. */
export function judgeStore(
  { model }: Oracle,
  { keeps, version, count }: Target,
  testCase: Case,
  { before, replies }: { before: { version: unknown; count: number }; replies: readonly WireReply[] },
): string[] {
  const successes = replies.filter(({ status }) => status < 300);
  if (successes.length === 0) {
    const isChanged = version !== undefined && version() !== before.version;
    return isChanged ? ['the refused request left a trace'] : [];
  }
  // Fewer are no fault: not every success creates something.
  if (count && count() - before.count > successes.length) return ['more is kept than was created'];
  const operation = operationOf(model, testCase);
  const content = sentContent(operation, testCase);
  const sent = sentBody(testCase);
  if (!keeps || !content || !sent || operation.method !== 'POST') return [];
  // The store has null for properties that were not sent.
  const created = Object.fromEntries(
    [...propertiesOf(content.schema).keys()].map((name) => [name, sent[name] ?? null]),
  );
  return keeps(operation.id, created) ? [] : ['what was created is not kept as it was sent'];
}
