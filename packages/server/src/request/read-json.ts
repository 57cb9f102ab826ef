// Reads the JSON of a request.
import { parseExactJson, JsonError } from '../contract/json/exact-json';
import { Refusal, toDepthRefusal } from '../errors/refusal';
import type { Shape } from '../contract/int64/shape';

export interface ReadValue {
  readonly value: unknown;
  /** The same structure with int64s as the text that was sent; undefined where the numbers of `value` are exact. */
  readonly tokens: unknown;
}

/** `shape` tells where int64s are. @throws Refusal for what is not UTF-8, JSON or Unicode text, or nested too deeply */
export function readJson(bytes: Buffer, shape: Shape | undefined): ReadValue {
  try {
    return parseExactJson(bytes, shape);
  } catch (cause) {
    throw cause instanceof JsonError ? toJsonRefusal(cause) : cause;
  }
}

function toJsonRefusal({ reason, message }: JsonError): Refusal {
  switch (reason) {
    case 'utf8':
      return new Refusal('INVALID_UTF8');
    case 'syntax':
      return new Refusal('MALFORMED_JSON', message === '' ? undefined : message);
    case 'unicode':
      return new Refusal('MALFORMED_JSON', 'request/body must be Unicode text, without unpaired surrogates', {
        rule: 'unicode',
      });
    case 'depth':
      return toDepthRefusal();
  }
}
