import type { Schema } from '../contract/schema';
import type { Draft } from './case';
import type { Level } from '../contract/standards';
import { pointerOf, type Variant } from '../values/variant';
import type { Json } from '../wire/json';

/** A generated body and the rule that it follows or breaks. If it is valid, a handler must receive `interpretation`. */
export type SentBody = Pick<Variant, 'pointer' | 'label' | 'implementationDefined'> &
  Pick<Draft, 'keyword' | 'depth'> & {
    readonly body: Buffer;
    readonly interpretation?: Json | undefined;
    readonly level?: Level | undefined;
  };

export function createRule(schema: Schema, label: string): Pick<SentBody, 'pointer' | 'label'> {
  return { pointer: pointerOf(schema), label };
}

export const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_unused, byte) => byte));

/** Bytes that some servers change, as Latin-1 strings with one character per byte. */
export const UNUSUAL_BYTES: readonly (readonly [label: string, bytes: string])[] = [
  ['every byte', EVERY_BYTE],
  ['one NUL', '\0'],
  ['like JSON', '{"a":'],
  ['line breaks', '\r\n\n\r'],
  ['not UTF-8', '\xff\xfe\xed\xa0\x80'],
  ['like the end of a part', 'a\r\n--\r\n\r\n--between'],
];
