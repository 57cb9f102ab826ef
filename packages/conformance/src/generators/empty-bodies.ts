// Creates cases with empty bodies, which HTTP frames in two ways (RFC 9112 section 6).
import type { Content, Operation } from '../contract/model';
import { fits, type Values } from '../values/variant';
import type { Json } from '../wire/json';
import type { Draft } from './case';
import { validRequest } from './valid-request';

// Clients send the first one with methods that have a body (RFC 9110 section 8.6); the other comes from proxies.
const FRAMINGS = [
  ['a Content-Length of 0', 'length', 'contract'],
  ['no chunks', 'chunked', 'robust'],
] as const;
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH'];

/**
 * Creates cases without content where none is needed, and with an empty body where its media type and its schema allow one.
 * Or else, where a body is required, with empty JSON, and without content if all that is declared is JSON.
 */
export function createEmptyBodyCases(values: Values, operation: Operation, expect: 'accepted' | 'refused'): Draft[] {
  const { body, pointer: operationPointer, method } = operation;
  const { contents = [], isRequired = !METHODS_WITH_BODY.includes(method), pointer = operationPointer } = body ?? {};
  const isJson = ({ kind }: Content): boolean => kind === 'json';
  const mustHaveBody = body !== undefined && isRequired;
  const isNoneSent = expect === 'accepted' ? !isRequired : mustHaveBody && contents.every(isJson);
  const emptied = contents.filter((content) =>
    expect === 'accepted' ? emptyValue(values, content) !== undefined : mustHaveBody && isJson(content),
  );
  return [...(isNoneSent ? [undefined] : []), ...emptied].flatMap((content) =>
    FRAMINGS.map(([name, framing, level]): Draft => {
      const value = content && emptyValue(values, content);
      return {
        pointer: content?.pointer ?? pointer,
        label: `${content ? `${content.mediaType}, an empty body` : 'no content'}, ${name}`,
        request: { ...validRequest(values, operation, { body: content && Buffer.alloc(0), content }), framing },
        expect,
        // Many servers take an empty body for none.
        level: value === undefined ? level : 'robust',
        interpretation: value === undefined ? undefined : { place: 'body', value },
      };
    }),
  );
}

/** The value of a body without bytes; undefined if the contract allows none. */
function emptyValue(values: Values, { kind, schema }: Content): Json | undefined {
  if (kind === 'bytes') return '';
  if (kind === 'text') return fits(values, schema, '') ? '' : undefined;
  return kind === 'form' && fits(values, schema, {}) ? {} : undefined;
}
