import type { Target } from '../src/exchange/exchange';
import type { Interpretation } from '../src/generators/case';
import { isJsonList, isJsonObject, isSame, writeJson, type Json } from '../src/wire/json';

/**
 * A handler gets what was sent.
 *
 * @param received the value that the latest handler got for a part of its request
 */
export function watchHandlers(
  received: (interpretation: Interpretation) => Json | undefined,
): NonNullable<Target['watch']> {
  return () =>
    (_oracle, { interpretation }, replies) => {
      const isAccepted = replies.length === 1 && replies.every(({ status }) => status < 300);
      if (!interpretation || !isAccepted) return [];
      const value = received(interpretation);
      if (isReceivedAsSent(value, interpretation.value, true)) return [];
      const text = `${writeJson(interpretation.value)} was sent, and the handler got ${writeJson(value ?? null)}`;
      return [{ check: 'handler-input', text }];
    };
}

// A number that is not an int64 is a double to the handler.
function roundBeyondInt64(sent: Json | undefined): Json | undefined {
  return typeof sent === 'bigint' && BigInt.asIntN(64, sent) !== sent ? BigInt(Number(sent)) : sent;
}

/** All names that the cases give to additional properties. */
const UNLISTED_NAMES = ['another', '', '__proto__', 'constructor', 'toString', '\u{1f331}'];

// Undeclared properties may be missing. With `hasDefaults`, there may be more, from defaults of the schema.
function isReceivedAsSent(received: Json | undefined, sent: Json | undefined, hasDefaults = false): boolean {
  if (isJsonList(received) && isJsonList(sent)) {
    return received.length === sent.length && received.every((item, index) => isReceivedAsSent(item, sent[index]));
  }
  if (!isJsonObject(received) || !isJsonObject(sent)) return isSame(received, roundBeyondInt64(sent));
  const hasOnlySent = hasDefaults || Object.keys(received).every((name) => Object.hasOwn(sent, name));
  // Only cases with additional properties send undeclared ones, by these names.
  const isKept = (name: string): boolean =>
    Object.hasOwn(received, name) ? isReceivedAsSent(received[name], sent[name]) : UNLISTED_NAMES.includes(name);
  return hasOnlySent && Object.keys(sent).every(isKept);
}
