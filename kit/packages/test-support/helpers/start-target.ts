import { findUnbuilt, type Case, type Finding, type Model, type Suite, type Target } from '@contract-kit/conformance';
import { SECRETS, SITUATIONS, startApp } from './start-app';

type Start = typeof startApp;

/** The app of this repository in this process, whole and with what is wrong in each situation. */
export async function startTarget(suite: Suite, start: Start = startApp): Promise<Target & AsyncDisposable> {
  const app = await start();
  // No limit that a busy machine comes near.
  const whole = { base: app.base, secrets: SECRETS, timeout: 60_000, watch: watchStore(app) };
  const { situations, ...others } = await startSituations(start);
  return {
    ...whole,
    situations,
    unbuilt: await findUnbuilt(suite, whole),
    async [Symbol.asyncDispose]() {
      for (const one of [app, others]) await one[Symbol.asyncDispose]();
    },
  };
}

/** The app in each situation. */
async function startSituations(
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
type Created = Readonly<Record<string, unknown>>;

/** A store that a test looks into. */
interface Store {
  /** Whether it has what an operation created. */
  readonly keeps: (operation: string, created: Created) => boolean;
  /** Changes whenever something is kept. */
  readonly version: () => unknown;
  readonly count: () => number;
}

/** Refused requests change nothing, and a POST keeps what it sent. */
function watchStore({ keeps, version, count }: Store): Watch {
  return () => {
    const before = { version: version(), count: count() };
    const judge = (model: Model, testCase: Case, successes: number): Finding[] => {
      if (successes === 0)
        return version() === before.version
          ? []
          : [{ check: 'unexpected-item', text: 'the refused request left a trace' }];
      // Fewer are no fault: not every success creates something.
      if (count() - before.count > successes)
        return [{ check: 'unexpected-item', text: 'more is kept than was created' }];
      const operation = model.operations.find(({ id }) => id === testCase.operation);
      const [content] = operation?.body?.contents ?? [];
      const sent = readSent(testCase);
      if (!content || !sent || operation?.method !== 'POST') return [];
      const names = content.schema.schemaObjects.flatMap(({ keywords }) => Object.keys(keywords['properties'] ?? {}));
      // The store has null for properties that were not sent.
      const created = Object.fromEntries(names.map((name) => [name, sent[name] ?? null]));
      return keeps(operation.id, created)
        ? []
        : [{ check: 'value-changed', text: 'what was created is not kept as it was sent' }];
    };
    return ({ model }, testCase, replies) =>
      judge(model, testCase, replies.filter(({ status }) => status < 300).length);
  };
}

/** The JSON object that a request sends, its integers as bigints; undefined for any other body. */
function readSent({ request: { body }, interpretation }: Case): Created | undefined {
  const sent = interpretation?.place === 'body' ? interpretation.value : parse(body?.toString() ?? '');
  return typeof sent === 'object' && sent !== null && !Array.isArray(sent) ? (sent as Created) : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text, (_name, value: unknown, context?: { readonly source?: string }) =>
      typeof value === 'number' && /^-?\d+$/.test(String(context?.source)) ? BigInt(String(context?.source)) : value,
    );
  } catch {
    return undefined;
  }
}
