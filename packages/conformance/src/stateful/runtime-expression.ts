import type { Operation } from '../contract/model';
import { resolvePointer } from '../contract/pointer';
import { Untriable } from '../contract/untried';
import { bodyOf } from '../oracle/body';
import { readContent } from '../wire/content';
import { isJsonList, isJsonObject, type Json } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import type { WireRequest } from '../wire/request';
import { readPath } from './path-template';

/** A request and the reply to it, for runtime expressions. */
export interface Exchanged {
  readonly operation: Operation;
  readonly request: WireRequest;
  readonly reply: WireReply;
}

/**
 * Evaluates a runtime expression (OpenAPI, Link Object, Runtime Expressions); any other value is returned as it is.
 *
 * @returns undefined when the exchange does not have it
 * @example evaluate('$response.body#/id', { operation, request, reply })
 */
export function evaluate(expression: Json, exchange: Exchanged): Json | undefined {
  if (typeof expression !== 'string' || !expression.startsWith('$')) return expression;
  const { operation, request, reply } = exchange;
  const [, source, place, rest = ''] = /^\$(request|response)\.(body|header|path|query)(.*)$/s.exec(expression) ?? [];
  const name = rest.slice(1);
  if (source === 'response') {
    if (place === 'body') return resolveFragment(bodyOf(reply), rest);
    return place === 'header' ? valuesOf(reply, name.toLowerCase())[0] : undefined;
  }
  if (source === 'request') return evaluateRequest(operation, request, { place, name, rest });
  if (expression === '$method') return request.method;
  return expression === '$statusCode' ? BigInt(reply.status) : undefined;
}

function evaluateRequest(
  { path }: Operation,
  { target, headers, body }: WireRequest,
  { place, name, rest }: { place: string | undefined; name: string; rest: string },
): Json | undefined {
  const [before = '', query = ''] = target.split('?', 2);
  switch (place) {
    case 'body': {
      const json = body && readContent({ kind: 'json' }, body);
      return json instanceof Error ? undefined : resolveFragment(json, rest);
    }
    case 'path':
      return readPath(path, before)?.get(name);
    case 'query':
      return new URLSearchParams(query).get(name) ?? undefined;
    default:
      return headers.find(([other]) => other.toLowerCase() === name.toLowerCase())?.[1];
  }
}

/**
 * Resolves the JSON pointer of an expression such as `$response.body#/id`; without a pointer, returns the whole value.
 *
 * @example resolveFragment({ items: [1n] }, '#/items/0') // 1n
 */
export function resolveFragment(value: Json | undefined, fragment: string): Json | undefined {
  if (value === undefined || fragment === '') return value;
  if (!isJsonObject(value) && !isJsonList(value)) return undefined;
  try {
    return resolvePointer(value, fragment);
  } catch (error) {
    if (error instanceof Untriable) return undefined;
    throw error;
  }
}
