import { SECRETS, SITUATIONS, startApp } from './start-app';
import { findUnbuilt, type Suite, type Target } from '@contract-kit/conformance';
import type { Finding, Oracle } from '../../conformance/src/oracle/checks';
import type { Case, Interpretation } from '../../conformance/src/generators/case';
import { operationOf } from '../../conformance/src/contract/model';
import { propertiesOf } from '../../conformance/src/contract/schema';
import { requestBodyOf, requestContentOf } from '../../conformance/src/oracle/body';
import {
  isJsonList,
  isJsonObject,
  isSame,
  writeJson,
  type Json,
  type JsonObject,
} from '../../conformance/src/wire/json';

type Start = typeof startApp;

/** The app of this repository in this process, whole and with what is wrong in each situation. */
export async function startTarget(suite: Suite, start: Start = startApp): Promise<Target & AsyncDisposable> {
  const whole = await startWhole(start);
  const { situations, ...others } = await startSituations(start);
  return {
    ...whole,
    situations,
    unbuilt: await findUnbuilt(suite, whole),
    async [Symbol.asyncDispose]() {
      for (const one of [whole, others]) await one[Symbol.asyncDispose]();
    },
  };
}

/** The app with nothing wrong. @param timeout how long one reply may take: no limit that a busy machine comes near */
export async function startWhole(start: Start = startApp, timeout = 60_000): Promise<Target & AsyncDisposable> {
  const app = await start();
  return {
    base: app.base,
    secrets: SECRETS,
    timeout,
    watch: watchStore(app),
    [Symbol.asyncDispose]: () => app[Symbol.asyncDispose](),
  };
}

/** The app in each situation. */
export async function startSituations(
  start: Start = startApp,
): Promise<Required<Pick<Target, 'situations'>> & AsyncDisposable> {
  const broken = await start(SITUATIONS.broken);
  const away = await start(SITUATIONS.away);
  const impatient = await start(SITUATIONS.impatient);
  return {
    situations: { broken: broken.base, away: away.base, impatient: impatient.base },
    async [Symbol.asyncDispose]() {
      for (const one of [broken, away, impatient]) await one[Symbol.asyncDispose]();
    },
  };
}

type Watch = NonNullable<Target['watch']>;

/** A store that a test looks into. */
interface Store {
  /** Whether it has what an operation created. */
  readonly keeps: (operation: string, created: JsonObject) => boolean;
  /** Changes whenever something is kept. */
  readonly version: () => unknown;
  readonly count: () => number;
}

/** Refused requests change nothing, and a POST keeps what it sent. */
export function watchStore({ keeps, version, count }: Store): Watch {
  return () => {
    const before = { version: version(), count: count() };
    const judge = ({ model }: Oracle, testCase: Case, successes: number): Finding[] => {
      if (successes === 0)
        return version() === before.version
          ? []
          : [{ check: 'unexpected-item', text: 'the refused request left a trace' }];
      // Fewer are no fault: not every success creates something.
      if (count() - before.count > successes)
        return [{ check: 'unexpected-item', text: 'more is kept than was created' }];
      const operation = operationOf(model, testCase);
      const content = requestContentOf(operation, testCase);
      const sent = requestBodyOf(testCase);
      if (!content || !sent || operation.method !== 'POST') return [];
      // The store has null for properties that were not sent.
      const names = [...propertiesOf(content.schema).keys()];
      const created = Object.fromEntries(names.map((name) => [name, sent[name] ?? null]));
      return keeps(operation.id, created)
        ? []
        : [{ check: 'value-changed', text: 'what was created is not kept as it was sent' }];
    };
    return (oracle, testCase, replies) => judge(oracle, testCase, replies.filter(({ status }) => status < 300).length);
  };
}

/**
 * A handler gets what was sent.
 *
 * @param received the value that the latest handler got for a part of its request
 */
export function watchHandlers(received: (interpretation: Interpretation) => Json | undefined): Watch {
  return () =>
    (_oracle, { interpretation }, replies) => {
      const isAccepted = replies.length === 1 && replies.every(({ status }) => status < 300);
      if (!interpretation || !isAccepted) return [];
      const value = received(interpretation);
      const forbidden = (interpretation.without ?? []).filter(
        (name) => isJsonObject(value) && Object.hasOwn(value, name),
      );
      if (forbidden.length > 0)
        return [{ check: 'handler-input', text: `${forbidden.join(', ')} is readOnly, and the handler got it` }];
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
const UNLISTED_NAMES: ReadonlySet<string> = new Set([
  'another',
  '',
  '__proto__',
  'constructor',
  'toString',
  '\u{1f331}',
]);

// Undeclared properties may be missing. With `hasDefaults`, there may be more, from defaults of the schema.
function isReceivedAsSent(received: Json | undefined, sent: Json | undefined, hasDefaults = false): boolean {
  if (isJsonList(received) && isJsonList(sent)) {
    return received.length === sent.length && received.every((item, index) => isReceivedAsSent(item, sent[index]));
  }
  if (!isJsonObject(received) || !isJsonObject(sent)) return isSame(received, roundBeyondInt64(sent));
  const hasOnlySent = hasDefaults || Object.keys(received).every((name) => Object.hasOwn(sent, name));
  // Only cases with additional properties send undeclared ones, by these names.
  const isKept = (name: string): boolean =>
    Object.hasOwn(received, name) ? isReceivedAsSent(received[name], sent[name]) : UNLISTED_NAMES.has(name);
  return hasOnlySent && Object.keys(sent).every(isKept);
}
