import express from 'express';
import * as OpenApiValidator from 'express-openapi-validator';
import {
  createRenderer,
  createServer,
  serveContract,
  type AppOptions,
  type RendererOptions,
  type Verifier,
} from '@contract-kit/server';
import { createSituations } from '@contract-kit/server/testing';
import { FIXTURE_ERRORS } from '@contract-kit/test-support/fixture-errors';
import { listenOnLoopback, type ListeningServer } from '@contract-kit/test-support/listen-on-loopback';
import { loadText } from '@contract-kit/test-support/load-text';
import { unscopedNameOf } from '@contract-kit/conformance';
import { listScopes, isKitHeader } from '@contract-kit/contract';
import type { UntypedHandler, UntypedRequest } from '@contract-kit/test-support/untyped-handler';
import type { CaseResult } from '../src/oracle/checks';
import { titleOf, type Case, type Interpretation } from '../src/generators/case';
import { mapInOrder } from '../src/exchange/pool';
import { findUncovered } from '../src/report/uncovered';
import { runCase } from '../src/exchange/run-case';
import type { Target } from '../src/exchange/exchange';
import { chooseCases, runSuite } from '../src/runner/run-suite';
import { createSuite, type Suite } from '../src/suite';
import {
  additionalOf,
  itemsOf,
  propertiesOf,
  rulesOf,
  isReadOnly,
  isWriteOnly,
  dropUndeclared,
  requiredOf,
  schemaKey,
  type Schema,
} from '../src/contract/schema';
import { unionMembersOf } from '../src/contract/unions';
import { isJsonList, isJsonObject, isSame, toJson, toText, writeJson, type Json } from '../src/wire/json';
import type { Content, Operation, Reply, ReplyHeader } from '../src/contract/model';
import { baseValue } from '../src/generators/body-values';
import { fits, type Values } from '../src/values/variant';
import { writeParameter } from '../src/contract/serialization';

const GROUPS = { path: 'path', query: 'query', header: 'headers', cookie: 'cookies' } as const;

/** A target, and the same with handlers that say what depends on what went before. */
interface StandIns extends Target, AsyncDisposable {
  readonly states: URL;
}

/** The kit with any contract, and handlers that return what the contract says. */
async function startStandIns(
  source: string,
  suite: Suite,
  { bodyLimit, errors = FIXTURE_ERRORS }: JudgeOptions,
): Promise<StandIns> {
  const { operations } = suite.model;
  const schemes = operations.flatMap(({ securityRequirements }) => securityRequirements.flat());
  const secrets = Object.fromEntries(
    schemes.flatMap(({ name, kind }) => {
      const user = kind === 'basic' ? 'user:' : '';
      return [
        [name, `${user}stand-in-${name}`],
        [unscopedNameOf(name), `${user}without-scopes-${name}`],
      ];
    }),
  );
  let latest: UntypedRequest | undefined;
  const good: Record<string, UntypedHandler> = {};
  const states: Record<string, UntypedHandler> = {};
  for (const operation of operations) {
    const standIn = createStandIn(suite.values, operation);
    const handler: UntypedHandler = async (request, reply) => {
      latest = { ...request, body: await readFiles(request.body) };
      return standIn(latest, reply);
    };
    good[operation.id] = handler;
    states[operation.id] = createStateStandIn(suite.values, operation) ?? handler;
  }
  const contract = loadText(source);
  const render = createRenderer({ contract, ...errors });

  const scopes = listScopes(contract.operations);
  const verifierOf =
    (name: string): Verifier =>
    (sent) => {
      if (sent === secrets[name]) return { scopes };
      return sent === secrets[unscopedNameOf(name)] ? {} : undefined;
    };

  async function start({ handlers = good, http = {} }: Partial<AppOptions>): Promise<ListeningServer> {
    const app = express().disable('x-powered-by');
    const options = {
      contract,
      validator: OpenApiValidator,
      handlers,
      verifiers: Object.fromEntries(schemes.map(({ name }) => [name, verifierOf(name)])),
      render,
      prefix: '',
      bodyLimit,
      isUnavailable: (cause: unknown) => cause instanceof RangeError,
      report: () => undefined,
    };
    app.use(await serveContract(options));
    const server = createServer(app, { ...options, http });
    return listenOnLoopback(server);
  }

  const situations = createSituations(new RangeError('away'));
  const servers = {
    good: await start({}),
    states: await start({ handlers: states }),
    broken: await start(situations.broken),
    away: await start(situations.away),
    impatient: await start(situations.impatient),
  };
  return {
    base: servers.good.base,
    states: servers.states.base,
    secrets,
    timeout: 60_000,
    situations: { broken: servers.broken.base, away: servers.away.base, impatient: servers.impatient.base },
    watch: watchHandlers(({ place, name = '' }) =>
      fromKit(
        place === 'body' || place === 'querystring'
          ? (latest as Partial<Record<typeof place, unknown>> | undefined)?.[place]
          : latest?.[GROUPS[place]][name],
      ),
    ),
    async [Symbol.asyncDispose]() {
      for (const server of Object.values(servers)) await server[Symbol.asyncDispose]();
    },
  };
}

// The server waits for what a client may still send; what it refuses leaves no trace, so that others need not wait.
const AT_ONCE = 16;

export interface JudgeOptions {
  readonly bodyLimit: number;
  /** What makes its refusals. */
  readonly errors?: Omit<RendererOptions, 'contract'> | undefined;
}

/**
 * Everything that is wrong with the kit as it keeps a contract: cases that fail, and what is declared and never seen.
 */
export async function judgeKit(source: string, judging: JudgeOptions): Promise<string[]> {
  const suite = createSuite(source, { marker: 'text', level: 'robust', hasUnscoped: () => true });
  await using target = await startStandIns(source, suite, judging);
  const failed: CaseResult[] = [];
  const keep = (result: CaseResult): void => {
    if (result.findings.length > 0) failed.push(result);
  };
  const options = {
    // The handlers keep nothing that could be read again, and one at a time is asked what it got.
    isWanted: ({ class: kind, expect }: Pick<Case, 'class' | 'expect'>) => kind !== 'stateful' && expect === 'accepted',
  };
  for await (const result of runSuite(suite, target, options)) keep(result);
  const refused = chooseCases(suite, target, { isWanted: ({ expect }) => expect !== 'accepted' });
  const { base, secrets, timeout, situations = {} } = target;
  const others = { base, secrets, timeout, situations };
  (await runAll(suite, others, refused)).forEach(keep);
  (await runAll(suite, { ...others, base: target.states }, statesOf(suite))).forEach(keep);
  const problems = failed.map(
    ({ case: one, findings }) => `${titleOf(one)}: ${findings.map(({ text }) => text).join('; ')}`,
  );
  const gaps = findUncovered(suite.coverage.list());
  return [...problems, ...gaps.map(({ operation, name }) => `${operation} ${name}: produced by no case`)];
}

function runAll({ coverage, oracleFor }: Suite, target: Target, cases: readonly Case[]): Promise<CaseResult[]> {
  const oracle = oracleFor(target.secrets);
  return Array.fromAsync(
    mapInOrder(cases, AT_ONCE, async (one) => {
      const result = await runCase(oracle, target, one);
      coverage.record(result);
      return result;
    }),
  );
}

// One request for each reply that an operation may have; of the same operation they come one after the other.
function statesOf({ model, cases }: Suite): Case[] {
  return model.operations.flatMap(({ id, replies }) => {
    const request = cases.find(({ operation, expect }) => operation === id && expect === 'accepted');
    return request ? [...replies].map(([status]) => ({ ...request, label: `${request.label}, for ${status}` })) : [];
  });
}

/** What a handler may return for a value: an int64 is a bigint, and every other number a number. */
function toKit(schema: Schema | undefined, value: Json): unknown {
  const branches = schema ? unionMembersOf(schema) : [];
  if (isJsonList(value)) {
    const items = branches.map(itemsOf).find((one) => one !== undefined);
    return value.map((item) => toKit(items, item));
  }
  if (isJsonObject(value)) {
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, toKit(memberOf(branches, name), member)]),
    );
  }
  const isLong = branches.some((branch) => rulesOf(branch, 'format').some((rule) => rule.value === 'int64'));
  return typeof value === 'bigint' && !isLong ? Number(value) : value;
}

/** The value that a handler got, as the suite has it: every integer is a bigint, bytes are a text of their numbers. */
function fromKit(value: unknown): Json | undefined {
  if (Buffer.isBuffer(value)) return value.toString('latin1');
  if (typeof value === 'number' && Number.isInteger(value)) return BigInt(value);
  if (Array.isArray(value)) return value.map((item) => fromKit(item) ?? null);
  if (!isJsonObject(value)) return value as Json | undefined;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, fromKit(member) ?? null]));
}

function memberOf(branches: readonly Schema[], name: string): Schema | undefined {
  const named = branches.flatMap((branch) => propertiesOf(branch).get(name) ?? []);
  const others = branches.map(additionalOf).filter((one) => typeof one === 'object');
  return named[0] ?? others[0];
}

/** The body that a handler got, with the bytes of its files. */
async function readFiles(body: unknown): Promise<unknown> {
  if (body instanceof Blob) return Buffer.from(await body.arrayBuffer());
  if (Array.isArray(body)) return Promise.all(body.map(readFiles));
  if (!isJsonObject(body) || Buffer.isBuffer(body)) return body;
  const members = Object.entries(body).map(async ([name, member]) => [name, await readFiles(member)] as const);
  return Object.fromEntries(await Promise.all(members));
}

/** A reply that a contract declares, with values as a handler of the kit returns them. */
interface PreparedReply {
  readonly status: number;
  /** Undefined where there is no body. */
  readonly content: Content | undefined;
  readonly body: unknown;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** Every success that an operation declares: each media type, each header there and not, each type of each part. */
function prepareSuccesses(values: Values, { replies }: Operation): PreparedReply[] {
  const listed = [...replies].filter(([status]) => status.startsWith('2'));
  const all = listed.length > 0 ? listed : [...replies].filter(([status]) => status === 'default');
  // Of a range, and of the default, a status that is not listed.
  const free = ['200', '201', '202', '299'].find((status) => !replies.has(status)) ?? '';
  return all.flatMap(([status, reply]) => prepare(values, /^\d+$/.test(status) ? status : free, reply));
}

/** What an operation may reply with depending on what went before, by status. */
function prepareStates(values: Values, { replies, parameters, method }: Operation): PreparedReply[] {
  const hasPath = parameters.some((parameter) => parameter.in === 'path');
  const states = [...(hasPath ? ['404', '410'] : []), ...(method === 'GET' ? [] : ['409', '412'])];
  return [...replies].flatMap(([status, reply]) =>
    states.includes(status) ? prepare(values, status, reply).slice(0, 1) : [],
  );
}

function prepare(values: Values, status: string, reply: Reply): PreparedReply[] {
  const bodies = reply.contents.flatMap((content) =>
    bodiesOf(values, content).map((body) => ({ content, body: toBody(content, body) })),
  );
  const headers = headersOf(values, reply);
  const all = bodies.length > 0 ? bodies : [{ content: undefined, body: undefined }];
  return Array.from({ length: Math.max(all.length, headers.length) }, (_unused, index) => {
    const { content, body } = all[index % all.length] ?? { content: undefined, body: undefined };
    const type = reply.contents.length > 1 && content ? { 'Content-Type': content.mediaType } : {};
    return { status: Number(status), content, body, headers: { ...headers[index % headers.length], ...type } };
  });
}

function toBody({ kind, schema }: Content, value: Json): unknown {
  return kind === 'bytes' ? Buffer.from(toText(value), 'latin1') : toKit(schema, value);
}

// The first of those that look alike.
function bodiesOf(values: Values, content: Content): Json[] {
  const { kind, schema } = content;
  const base = toJson(baseValue(values, content));
  if (kind !== 'json') return [base];
  const declared = values.validValues(schema).filter(({ keyword }) => keyword !== 'extra');
  const good = declared.map(({ value }) => dropUndeclared(schema, toJson(value)));
  const fitting = [base, ...good]
    .filter((value) => fits(values, schema, value))
    .map((value) => asReply(values, schema, value));
  return [...Map.groupBy(fitting, shapeOf).values()].flatMap(([first]) => (first === undefined ? [] : [first]));
}

// Values are made for requests: a reply has what is readOnly, and nothing that is writeOnly.
function asReply(values: Values, schema: Schema, value: Json): Json {
  if (!isJsonObject(value)) return value;
  const properties = [...new Map(unionMembersOf(schema).flatMap((branch) => [...propertiesOf(branch)]))];
  const readOnly = properties.filter(([, property]) => isReadOnly(property));
  const writeOnly = properties.filter(([, property]) => isWriteOnly(property)).map(([name]) => name);
  const sent = Object.entries(value).filter(([name]) => !writeOnly.includes(name));
  const own = readOnly.map(([name, property]) => [name, toJson(values.baseOf(property))] as const);
  return { ...Object.fromEntries(sent), ...Object.fromEntries(own) };
}

function shapeOf(value: Json): string {
  if (isJsonList(value)) return `[${value.slice(0, 1).map(shapeOf).join()}]`;
  if (!isJsonObject(value)) return value === null ? 'null' : typeof value;
  return writeJson(Object.entries(value).map(([name, member]) => `${name} ${shapeOf(member)}`));
}

// All headers that a handler may send, and only the required ones.
function headersOf(values: Values, { headers }: Reply): Readonly<Record<string, unknown>>[] {
  const all = [...headers].filter(([name]) => !isKitHeader(name));
  const needed = all.filter(([, { isRequired }]) => isRequired);
  return [all, needed].map((some) => Object.fromEntries(some.map(([, one]) => [one.name, headerOf(values, one)])));
}

function headerOf(values: Values, header: ReplyHeader): unknown {
  const { schema } = header;
  const written = (value: Json): string => writeParameter({ ...header, in: 'header' }, value).join();
  const good = [values.baseOf(schema), ...values.validValues(schema).map(({ value }) => value)].map(toJson);
  const fitting = good.find((value) => /^[!-~](?:[ -~]*[!-~])?$/.test(written(value)));
  if (fitting === undefined) throw new Error(`${header.pointer}: no value was found for a header`);
  return toKit(schema, fitting);
}

/**
 * A handler that says every success that its operation declares, one after the other. What a request and a reply both have
 * comes back as it was sent; the same request with a body has the same reply.
 */
function createStandIn(values: Values, operation: Operation): UntypedHandler {
  const successes = prepareSuccesses(values, operation);
  const known = new Map<string, number>();
  let calls = 0;
  return (request, reply) => {
    const key = keyOf(request);
    const index = known.get(key) ?? known.size;
    known.set(key, index);
    const prepared = successes[(request.body === undefined ? calls++ : index) % successes.length];
    if (!prepared) throw new Error(`${operation.id} declares no success`);
    const { status, body, headers } = echoed(operation, request, prepared);
    return reply(status, body, headers);
  };
}

/** A handler that says what depends on what went before, such as that something is not there; undefined where nothing does. */
function createStateStandIn(values: Values, operation: Operation): UntypedHandler | undefined {
  const states = prepareStates(values, operation);
  let calls = 0;
  if (states.length === 0) return undefined;
  return (_request, reply) => {
    const { status = 0, body, headers } = states[calls++ % states.length] ?? {};
    return reply(status, body, headers);
  };
}

function keyOf({ path, query, headers, cookies, body }: UntypedRequest): string {
  const all = { path, query, headers, cookies, body };
  return JSON.stringify(all, (_name, value: unknown) => (typeof value === 'bigint' ? `${value.toString()}n` : value));
}

function echoed({ body }: Operation, request: UntypedRequest, prepared: PreparedReply): PreparedReply {
  const asked = body?.contents.find(({ mediaType }) => mediaType === request.contentType);
  const told = prepared.content;
  if (!asked || told?.kind !== 'json' || !isJsonObject(request.body)) {
    const isSame = asked?.kind === 'bytes' && told?.kind === 'bytes';
    return isSame ? { ...prepared, body: request.body } : prepared;
  }
  // The properties of alternatives are not the same, unless they are the same alternatives.
  if (propertiesOf(told.schema).size === 0)
    return schemaKey(asked.schema) === schemaKey(told.schema) ? { ...prepared, body: request.body } : prepared;
  const sent: Readonly<Record<string, unknown>> = request.body;
  const required = requiredOf(told.schema);
  const known = propertiesOf(asked.schema);
  const members = [...propertiesOf(told.schema)].flatMap(([name, property]) => {
    if (isWriteOnly(property)) return [];
    const own = (prepared.body as Readonly<Record<string, unknown>>)[name];
    if (known.has(name) && sent[name] !== undefined) return [[name, dropUndeclared(property, sent[name])] as const];
    return own === undefined || (known.has(name) && !isReadOnly(property) && !required.has(name))
      ? []
      : [[name, own] as const];
  });
  return { ...prepared, body: Object.fromEntries(members) };
}

/**
 * A handler gets what was sent.
 *
 * @param received the value that the latest handler got for a part of its request
 */
function watchHandlers(received: (interpretation: Interpretation) => Json | undefined): NonNullable<Target['watch']> {
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
