import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import type { Server, ServerOptions } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import type { UntypedHandler } from '../../src/contract/chain';
import type { Handlers } from '../../src/contract/handler';
import { serveContract } from '../../src/contract/serve-contract';
import { createContractServer } from '../../src/contract/server';
import { loadText } from '../load-text';
import type { Operation } from './contract/model';
import { itemsOf, onlyNamed, propertiesOf, rulesOf, type Schema } from './contract/schema';
import type { Target } from './run-case';
import type { Suite } from './suite';
import { isJsonList, isJsonObject, toJson, type Json } from './wire/json';

const SECRET = 'stand-in';

/** The kit with any contract, and handlers that return what the contract says: what was sent, or a plain value. */
export async function startStandIns(file: string, suite: Suite, bodyLimit: number): Promise<Target & AsyncDisposable> {
  const { operations } = suite.model;
  const schemes = operations.flatMap(({ alternatives }) => alternatives.flat().map(({ name }) => name));
  const good = new Map(operations.map((operation) => [operation.id, standIn(suite, operation)]));
  const failing = (cause: Error): Map<string, UntypedHandler> =>
    new Map(operations.map(({ id }) => [id, () => Promise.reject(cause)]));

  async function start(handlers: Map<string, UntypedHandler>, http: ServerOptions = {}): Promise<Server> {
    const app = express().disable('x-powered-by');
    const options = {
      handlers: Object.fromEntries(handlers) as unknown as Handlers,
      verifiers: Object.fromEntries(
        schemes.map((name) => [name, (token: string) => (token === SECRET ? {} : undefined)]),
      ) as never,
      prefix: '',
      bodyLimit,
      isUnavailable: (cause: unknown) => cause instanceof RangeError,
      report: () => undefined,
    };
    app.use(await serveContract(loadText(readFileSync(file, 'utf8')), options));
    const server = createContractServer(app, () => undefined, http);
    await once(server.listen(0, '127.0.0.1'), 'listening');
    return server;
  }

  const servers = {
    good: await start(good),
    broken: await start(failing(new Error('a bug'))),
    away: await start(failing(new RangeError('away'))),
    impatient: await start(good, { headersTimeout: 100, requestTimeout: 100, connectionsCheckingInterval: 20 }),
  };
  return {
    base: baseOf(servers.good),
    secrets: Object.fromEntries(schemes.map((name) => [name, SECRET])),
    timeout: 10_000,
    situations: { broken: baseOf(servers.broken), away: baseOf(servers.away), impatient: baseOf(servers.impatient) },
    async [Symbol.asyncDispose]() {
      for (const server of Object.values(servers)) {
        server.closeAllConnections();
        await new Promise((resolve) => server.close(resolve));
      }
    },
  };
}

function baseOf(server: Server): URL {
  return new URL(`http://127.0.0.1:${String((server.address() as AddressInfo).port)}`);
}

function standIn({ values }: Suite, { replies }: Operation): UntypedHandler {
  const [status = '', declared] = [...replies].find(([one]) => one.startsWith('2')) ?? [];
  const schema = declared?.schema;
  const plain = schema && asKit(schema, toJson(values.baseOf(schema)));
  return ({ body }, reply) => reply(Number(status), schema && (body === undefined ? plain : onlyNamed(schema, body)));
}

/** What a handler may return: an int64 is a bigint, and every other number a number. */
function asKit(schema: Schema, value: Json): unknown {
  if (isJsonList(value)) {
    const items = itemsOf(schema);
    return value.map((item) => (items ? asKit(items, item) : item));
  }
  if (isJsonObject(value)) {
    const named = propertiesOf(schema);
    return Object.fromEntries(
      Object.entries(value).map(([name, member]) => [name, asKit(named.get(name) ?? schema, member)]),
    );
  }
  const isInt64 = rulesOf(schema, 'format').some((rule) => rule.value === 'int64');
  return typeof value === 'bigint' && !isInt64 ? Number(value) : value;
}
