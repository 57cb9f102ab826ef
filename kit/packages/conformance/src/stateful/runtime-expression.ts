import type { Operation } from '../contract/model';
import { findReferenced } from '../contract/pointer';
import { jsonBodyOf } from '../oracle/body';
import { readContent } from '../contract/serialization';
import type { Json } from '../wire/json';
import { valuesOf, type WireReply } from '../wire/reply';
import type { WireRequest } from '../wire/request';
import { readPath } from '../contract/path-template';

export interface RequestAndReply {
  readonly operation: Operation;
  readonly request: WireRequest;
  readonly reply: WireReply;
}

/** Evaluates an OpenAPI runtime expression, such as `$response.body#/id`. Returns any other value unchanged. */
export function evaluate(expression: Json, exchange: RequestAndReply): Json | undefined {
  if (typeof expression !== 'string' || !expression.startsWith('$')) return expression;
  const { operation, request, reply } = exchange;
  if (expression === '$method') return request.method;
  if (expression === '$statusCode') return BigInt(reply.status);
  // A JSON pointer or a name follows the source, as in `$request.body#/id` or `$response.header.Location`.
  const [, message, source, rest = ''] = /^\$(request|response)\.(body|header|path|query)(.*)$/s.exec(expression) ?? [];
  const selector = { source, name: rest.slice(1), fragment: rest };
  if (message === 'request') return readFromRequest(operation, request, selector);
  return message === 'response' ? readFromReply(reply, selector) : undefined;
}

interface Selector {
  readonly source: string | undefined;
  readonly name: string;
  /** The JSON pointer into a body, such as `#/id`; empty for the whole body. */
  readonly fragment: string;
}

function readFromReply(reply: WireReply, { source, name, fragment }: Selector): Json | undefined {
  if (source === 'body') return resolveFragment(jsonBodyOf(reply), fragment);
  return source === 'header' ? valuesOf(reply, name.toLowerCase())[0] : undefined;
}

function readFromRequest(
  { path: template }: Operation,
  { target, headers, body }: WireRequest,
  { source, name, fragment }: Selector,
): Json | undefined {
  const [path = '', query = ''] = target.split('?', 2);
  switch (source) {
    case 'body': {
      const json = body && readContent({ kind: 'json' }, body);
      return json instanceof Error ? undefined : resolveFragment(json, fragment);
    }
    case 'path':
      return readPath(template, path)?.get(name);
    case 'query':
      return new URLSearchParams(query).get(name) ?? undefined;
    default:
      return headers.find(([headerName]) => headerName.toLowerCase() === name.toLowerCase())?.[1];
  }
}

/** Returns `1n` for `#/items/0` in `{ items: [1n] }`. An empty pointer means the whole value. */
export function resolveFragment(value: Json | undefined, fragment: string): Json | undefined {
  return value === undefined || fragment === '' ? value : findReferenced(value, fragment);
}
