// Creates cases with empty bodies, which HTTP frames in two ways (RFC 9112 section 6).
import type { Content, Operation } from '../contract/model';
import type { Level } from '../contract/standards';
import { fits, type Values } from '../values/variant';
import type { Json } from '../wire/json';
import type { Draft } from './case';
import { validRequest } from './valid-request';

type Framing = readonly [name: string, framing: 'length' | 'chunked', level: Level];

// Clients send the first one with methods that have a body (RFC 9110 section 8.6); the other comes from proxies.
const FRAMINGS: readonly Framing[] = [
  ['a Content-Length of 0', 'length', 'contract'],
  ['no chunks', 'chunked', 'robust'],
];
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/** Creates cases without content where none is needed, and with an empty body where its media type and its schema allow one. */
export function createEmptyBodyCases(values: Values, operation: Operation): Draft[] {
  const { body, pointer, method } = operation;
  const mayLackBody = body ? !body.isRequired : METHODS_WITH_BODY.includes(method);
  return FRAMINGS.flatMap((framing): Draft[] => [
    ...(mayLackBody
      ? [createCase(values, operation, framing, { expect: 'accepted', pointer: body?.pointer ?? pointer })]
      : []),
    ...(body?.contents ?? []).flatMap((content) => {
      const value = emptyValue(values, content);
      if (value === undefined) return [];
      const draft = createCase(values, operation, framing, { expect: 'accepted', pointer: content.pointer, content });
      // Many servers take it for no body.
      return [{ ...draft, level: 'robust' as const, interpretation: { place: 'body' as const, value } }];
    }),
  ]);
}

/** Creates cases with empty JSON, and without content if no media type has an empty value, where a body is required. */
export function createMissingBodyCases(values: Values, operation: Operation): Draft[] {
  const { body } = operation;
  if (body?.isRequired !== true) return [];
  const jsonContents = body.contents.filter(({ kind }) => kind === 'json');
  return FRAMINGS.flatMap((framing) => [
    ...(jsonContents.length === body.contents.length
      ? [createCase(values, operation, framing, { expect: 'refused', pointer: body.pointer })]
      : []),
    ...jsonContents.map((content) =>
      createCase(values, operation, framing, { expect: 'refused', pointer: content.pointer, content }),
    ),
  ]);
}

/** The value of a body without bytes; undefined if the contract allows none. */
function emptyValue(values: Values, { kind, schema }: Content): Json | undefined {
  if (kind === 'bytes') return '';
  if (kind === 'text') return fits(values, schema, '') ? '' : undefined;
  return kind === 'form' && fits(values, schema, {}) ? {} : undefined;
}

/** What is sent: an empty body of a media type, or no content. */
interface Sent {
  readonly expect: 'accepted' | 'refused';
  readonly pointer: string;
  readonly content?: Content;
}

function createCase(
  values: Values,
  operation: Operation,
  [name, framing, level]: Framing,
  { expect, pointer, content }: Sent,
): Draft {
  const body = content && Buffer.alloc(0);
  return {
    pointer,
    label: `${content ? `${content.mediaType}, an empty body` : 'no content'}, ${name}`,
    request: { ...validRequest(values, operation, { body, content }), framing },
    expect,
    level,
  };
}
