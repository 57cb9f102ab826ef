// What a generated body sends, and which rule it keeps or breaks.
import type { Schema } from '../contract/schema';
import type { Draft } from './case';
import type { Level } from '../contract/standards';
import { pointerOf, type Variant } from '../values/variant';
import type { Json } from '../wire/json';

/** A body that keeps or breaks a rule, and the value that a handler must receive when it is valid. */
export type SentBody = Pick<Variant, 'pointer' | 'label' | 'implementationDefined'> &
  Pick<Draft, 'keyword' | 'depth'> & {
    readonly body: Buffer;
    readonly interpretation?: Json | undefined;
    /** Sent properties that a handler must not receive. */
    readonly without?: readonly string[];
    /** Set when it differs from the class's. */
    readonly level?: Level | undefined;
  };

export type Rule = Omit<SentBody, 'body' | 'interpretation'>;

export function createRule(schema: Schema, label: string): Rule {
  return { pointer: pointerOf(schema), label };
}

export const EVERY_BYTE = String.fromCharCode(...Array.from({ length: 256 }, (_unused, byte) => byte));
