import type { UntypedHandler, UntypedRequest } from '../../../server/src/contract/chain';
import type { Operation } from '../../src/contract/model';
import { isReadOnly, isWriteOnly, keepNamed, propertiesOf, requiredOf } from '../../src/contract/schema';
import type { Values } from '../../src/values/variant';
import { isJsonObject } from '../../src/wire/json';
import { prepareStates, prepareSuccesses, type PreparedReply } from './prepared-replies';

/**
 * A handler that says every success that its operation declares, one after the other. What a request and a reply both have
 * comes back as it was sent; the same request with a body has the same reply.
 */
export function createStandIn(values: Values, operation: Operation): UntypedHandler {
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
export function createStateStandIn(values: Values, operation: Operation): UntypedHandler | undefined {
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
  // The properties of alternatives are not the same.
  if (propertiesOf(told.schema).size === 0) return prepared;
  const sent: Readonly<Record<string, unknown>> = request.body;
  const required = requiredOf(told.schema);
  const known = propertiesOf(asked.schema);
  const members = [...propertiesOf(told.schema)].flatMap(([name, property]) => {
    if (isWriteOnly(property)) return [];
    const own = (prepared.body as Readonly<Record<string, unknown>>)[name];
    if (known.has(name) && sent[name] !== undefined) return [[name, keepNamed(property, sent[name])] as const];
    return own === undefined || (known.has(name) && !isReadOnly(property) && !required.has(name))
      ? []
      : [[name, own] as const];
  });
  return { ...prepared, body: Object.fromEntries(members) };
}
