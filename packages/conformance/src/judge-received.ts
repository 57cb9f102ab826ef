// Checks what the handler received, in tests with access to the handlers.
import type { Case } from './case';
import type { Target } from './target';
import { UNLISTED_NAMES } from './values/objects';
import { isJsonList, isJsonObject, isSame, writeJson, type Json } from './wire/json';
import type { WireReply } from './wire/reply';

/** Returns what is wrong: nothing when the request was refused, or when the target gives no access to its handlers. */
export function judgeReceived({ received }: Target, { meant }: Case, replies: readonly WireReply[]): string[] {
  const isAccepted = replies.length === 1 && replies.every(({ status }) => status < 300);
  if (!received || !meant || !isAccepted) return [];
  const value = received(meant);
  const forbidden = (meant.without ?? []).filter((name) => isJsonObject(value) && Object.hasOwn(value, name));
  if (forbidden.length > 0) return [`${forbidden.join(', ')} is readOnly, and the handler got it`];
  if (isReceivedAsSent(value, meant.value, true)) return [];
  return [`${writeJson(meant.value)} was sent, and the handler got ${writeJson(value ?? null)}`];
}

// Undeclared properties may be missing. With `hasDefaults`, there may be more, from defaults of the schema.
function isReceivedAsSent(received: Json | undefined, sent: Json | undefined, hasDefaults = false): boolean {
  if (isJsonList(received) && isJsonList(sent)) {
    return received.length === sent.length && received.every((item, index) => isReceivedAsSent(item, sent[index]));
  }
  if (!isJsonObject(received) || !isJsonObject(sent)) return isSame(received, sent);
  const hasOnlySent = hasDefaults || Object.keys(received).every((name) => Object.hasOwn(sent, name));
  // Only cases with additional properties send undeclared ones, by these names.
  const isKept = (name: string): boolean =>
    Object.hasOwn(received, name) ? isReceivedAsSent(received[name], sent[name]) : UNLISTED_NAMES.has(name);
  return hasOnlySent && Object.keys(sent).every(isKept);
}
